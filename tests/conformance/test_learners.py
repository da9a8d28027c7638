"""Every registered learner keeps the contract; a new one is tested as soon as it is registered."""

import numpy as np
import pytest

from arena import play
from arena.papers.tightness import LARGE
from arena.record.judging import promises_of
from arena.specs import registry
from arena.specs.building import build
from arena.testing import Moves, parametrize_with_checks
from arena.testing.checks import examine_learner, subjects
from arena_tests import FULL

EVERYBODY = sorted(registry.entries("learner"))
NONE_HOLDS = """none of the theorems that {name} promises holds in any match here or in LARGE of
arena/papers/tightness.py. If they need another game or adversary, add it to LARGE; the last verdicts were:
{verdicts}"""


@parametrize_with_checks(EVERYBODY)
def test_it_keeps_the_contract(check, monkeypatch):
    """Every check passes; the only check that may be skipped is the one of theorems that are about other losses."""
    if not FULL:  # tests/quality/test_sweep.py plays other parameters, in all games
        half = EVERYBODY.index(check.examination.subject.name) % 2
        monkeypatch.setattr(subjects, "ELSEWHERE", subjects.ELSEWHERE[half::2])
        monkeypatch.setattr(subjects, "FEWEST_VARIANTS", 2)
        monkeypatch.setattr(subjects, "MOST_VARIANTS", 4)
    result = check.result()
    about_other_losses = result.name == "promised-theorems-hold" and result.outcome == "skipped"
    assert result.outcome == "passed" or about_other_losses, str(result)


@pytest.mark.parametrize("name", EVERYBODY)
def test_its_family_paper_and_cost_stand_in_class_attributes(name):
    learner = registry.find("learner", name)
    assert learner.family, f"{name}: name its heading in `arena list` in the class attribute `family`"
    assert learner.paper, f"{name}: name its paper in the class attribute `paper`"
    assert "O(" in learner.cost, f"{name}: state time and memory in `cost`"
    summary = learner.__doc__.split("\n\n")[0]
    assert " a round" not in summary, (
        f"{name}: `arena list` prints `cost` beside the docstring, which need not repeat it"
    )


@pytest.mark.parametrize("name", EVERYBODY)
def test_each_of_its_promises_holds_under_some_loss(name):
    runs = [play(name, adversary, rounds=60, loss=loss) for loss in ("squared", "hinge") for adversary in
            ("alternating", "repeated(points=5)")]  # fmt: skip
    verdicts = [verdict for run in runs for verdict in run.verdicts()]
    assert not [str(verdict) for verdict in verdicts if verdict.violated]
    if promises_of(runs[0]) and not any(verdict.holds for verdict in verdicts):
        special = (setting.play(name, rounds=60) for setting in LARGE)  # such as those with the linear kernel
        assert any(verdict.holds for run in special if run for verdict in run.verdicts()), NONE_HOLDS.format(
            name=name, verdicts="\n".join(map(str, verdicts))
        )


@pytest.mark.parametrize("name", EVERYBODY)
@pytest.mark.parametrize("regularisation", [1e-8, 1e8])
def test_many_rounds_in_one_corner_of_an_extreme_game(name, regularisation):
    """The match has more rounds than the matches of the checks."""
    corners = np.where(np.random.default_rng(0).random((400, 3)) < 0.5, -1.0, 1.0)
    corners[200:] = corners[0]
    labels = np.where(np.arange(400) % 3, 1.5, -1.5)
    run = play(name, Moves.of(corners, labels), rounds=400, dimension=3, label_bound=1.5, hindsight="none",
               kernel="gaussian(bandwidth=1000)", regularisation=regularisation)  # fmt: skip
    assert run.forfeit is None
    assert run.learner == name
    assert np.isfinite(run.predictions).all()


ONLINE = [name for name in EVERYBODY if not build("learner", name).foresight]


@pytest.mark.parametrize("name", ONLINE)
def test_a_learner_declares_how_its_memory_grows(name):
    assert "memory-grows-as-declared" in examine_learner(name).applicable, (
        f'add memory_growth: ClassVar[str] = "constant", "linear" or "quadratic" to the class of {name}'
    )


GROWING = ["kernel-awv", "fgd", "perceptron", "pkawv-kors"]


@pytest.mark.parametrize("name", [*GROWING, "clipped-krr", "kons"] if FULL else GROWING)
def test_a_learner_that_declares_less_memory_than_it_needs_fails(name, monkeypatch):
    monkeypatch.setattr(registry.find("learner", name), "memory_growth", "constant")
    result = examine_learner(name).result("memory-grows-as-declared")
    assert result.outcome == "failed", str(result)
    assert "declared constant, but it grew from" in result.message
