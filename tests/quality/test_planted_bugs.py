"""Planted mistakes are found by the tool meant for them, and correct learners are not accused.

By default the grossest dose of each mistake is hunted for a fixed number of matches, so that nothing depends on speed.
With REGRET_ARENA_FULL=1 every dose is hunted for at most 60 seconds, and correct learners are hunted 200 times.
benchmarks/planted_bugs.py writes the results of these hunts as a page.
"""

import pytest

from arena import play
from arena.counterexamples.shrinking import shrink
from arena.hunt import hunt
from arena.testing import check_learner, raise_on_failure
from arena_tests import FULL
from planted_bugs import ENOUGH, FOLDER, Specimen, alarms, caught, classes, correct, grossest, mistakes

MATCHES, PEACEFUL = 150, 30
USUAL = {"kernel": "gaussian", "regularisation": 1.0, "label_bound": 1.0, "loss": "squared"}  # what need not be varied
LASTING = {  # mistakes that show late even in their grossest dose, or with another loss or kernel
    "awv_formula:TakesTheDiagonalForOne",
    "built_in:LosesWhatMoves",
    "mixing:Underflow",
    "perceptrons:BudgetTooSmall",
    "perceptrons:ShrinksWithoutNeed",
}
QUICK = ("mixing", "perceptrons")  # where a thousand rounds take no time
KNOWN = [each for each in (mistakes() if FULL else grossest()) if hasattr(each.made, "shortest")]
EARLY = [each for each in grossest() if each.name not in LASTING]


def titled(specimens):
    return [pytest.param(each, id=each.title) for each in specimens]


@pytest.mark.parametrize("specimen", titled(EARLY))
def test_a_gross_mistake_is_caught_at_once(specimen):
    finding = caught(specimen, matches=MATCHES, workers=0, **USUAL)
    assert finding.caught, finding.reason


def test_a_mistake_that_shows_with_other_kernels_only():
    (specimen,) = [each for each in grossest() if each.name == "awv_formula:TakesTheDiagonalForOne"]
    assert not caught(specimen, matches=MATCHES, workers=0, **USUAL).caught
    assert caught(specimen, matches=700, workers=0, rounds=30).caught


@pytest.mark.parametrize("specimen", titled(each for each in correct() if each.tool == "hunt"))
def test_a_correct_learner_is_not_accused(specimen):
    finding = caught(specimen, matches=PEACEFUL, workers=0)
    assert not finding.caught, finding.reason


def test_a_correct_sampler_is_not_accused_over_seeds():
    (sampler,) = [each for each in correct() if each.made.__name__ == "SteadyKors"]
    finding = caught(Specimen(sampler.file, type("Judged", (sampler.made,), {"tool": "seeds"})))
    assert not finding.caught, finding.reason


@pytest.mark.parametrize("specimen", titled(each for each in mistakes() if hasattr(each.made, "shortest")))
def test_no_match_shorter_than_shortest_breaks_the_bound(specimen):
    """The attribute `shortest` is the number of rounds of the shortest match that shows the mistake."""
    rounds = specimen.made.shortest - 1
    if rounds:
        finding = caught(specimen, matches=60 if FULL else 12, workers=0, rounds=rounds, **USUAL)
        assert not finding.caught, finding.reason


@pytest.mark.parametrize("specimen", titled(each for each in EARLY if hasattr(each.made, "shortest")))
def test_a_violation_shrinks_to_the_shortest_possible_match(specimen):
    violation = hunt(specimen.learner(), matches=MATCHES, workers=0, **USUAL).violation
    shrunk = shrink(specimen.learner(), violation.transcript, violation.theorem, budget=1000.0)
    assert shrunk.rounds <= 2 * specimen.made.shortest < violation.transcript.rounds


@pytest.mark.parametrize("specimen", titled(KNOWN))
def test_a_violation_of_a_played_match_shrinks_to_its_known_length(specimen):
    runs = (play(specimen.learner(), adversary, rounds=200) for adversary in ("repeated(points=20)", "orthogonal"))
    worst = next((run for run in runs if any(verdict.violated for verdict in run.verdicts())), None)
    if worst is None:
        assert specimen not in grossest()  # the faintest doses need a hunt
        return
    shrunk = shrink(specimen.learner(), worst)
    assert shrunk.finished
    assert shrunk.verdict.violated
    assert shrunk.rounds <= 2 * specimen.made.shortest


def test_the_files_are_learners_that_a_spec_finds():
    spec = f"{FOLDER / 'awv_labels.py'}:Offset(dose=0.3)"
    assert hunt(spec, matches=20, workers=0).violation.theorem == "awv-leverage"
    assert play(spec, "alternating", rounds=5).predictions[0] == 0.3


@pytest.mark.parametrize("specimen", titled(each for each in correct() if FULL or each.file in QUICK))
def test_a_correct_learner_keeps_the_contract(specimen):
    raise_on_failure(check_learner(specimen.made))


def test_no_dose_is_both_harmful_and_harmless():
    for _, made in classes():
        assert not set(vars(made).get("doses", ())) & set(vars(made).get("harmless", ()))


if FULL:  # hours

    def test_nearly_all_doses_are_caught_within_a_minute():
        findings = [caught(each, budget=60.0) for each in mistakes()]
        missed = [f"{each.specimen.title}: {each.reason}" for each in findings if not each.caught]
        assert len(missed) <= (1 - ENOUGH) * len(findings), missed

    def test_no_alarm_in_200_hunts_of_correct_learners():
        assert not list(alarms(200, 60.0))
