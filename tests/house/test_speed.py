"""The benchmarks of speed: naive twins play the same matches, and a slower learner is found."""

import dataclasses
import sys

import numpy as np
import pytest

from arena import play
from arena.learners.linear import LinearSgd
from arena.specs import registry
from arena.specs.building import build
from speed import baseline, command, learners, opponents
from speed.machine import UNITS, rates
from speed.measuring import Result, Spread, measure
from speed.page import as_json, page
from speed.printed import linear

SAME = [entry for entry in learners.ENTRIES if entry.same]
ADAPTIVE = [name for name in registry.entries("adversary") if name not in opponents.NEEDS_DATA]
ADAPTIVE = [name for name in ADAPTIVE if not build("adversary", name).oblivious]


@pytest.mark.parametrize("entry", SAME, ids=[entry.spec for entry in SAME])
def test_the_pseudo_code_gives_the_learners_predictions(entry):
    rounds = 900 if "budget" in entry.spec else min(entry.few, 120)  # the budget of 400 is spent
    X, y = learners.sequence(entry, rounds)
    expected = learners.transcribed(entry).run(X, y)
    np.testing.assert_allclose(learners.begun(entry).replay(X, y), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", ADAPTIVE)
def test_the_naive_twin_plays_the_same_match(name):
    """Searches have few starts and no polishing, whose numerical derivatives would magnify rounding errors."""
    spec = {"greedy": "greedy(starts=8, polished=0)", "mixture": "mixture(of=[contrarian, outlier], stretch=2)"}
    rounds = 4 if name == "lookahead" else 6  # the fifth round has two equally good moves
    runs = [opponents.match(spec.get(name, name), rounds, naive=naive)() for naive in (False, True)]
    np.testing.assert_allclose(runs[0].points, runs[1].points, rtol=0, atol=1e-9)
    np.testing.assert_allclose(runs[0].labels, runs[1].labels, rtol=0, atol=1e-9)


class Lines:
    """A clock that counts executed lines of Python instead of seconds."""

    def __enter__(self):
        self.count, self.before = 0, sys.gettrace()
        sys.settrace(self.trace)
        return self

    def __exit__(self, *_):
        sys.settrace(self.before)

    def trace(self, frame, event, argument):
        self.count += 1
        return self.trace

    def __call__(self):
        return float(self.count)


@dataclasses.dataclass
class Slower(LinearSgd):
    """Gradient descent with a loop over all pairs of rounds in each round."""

    rounds = 0

    def update(self, x, y):
        super().update(x, y)
        self.rounds += 1
        for _ in range(self.rounds):
            for _ in range(self.rounds):
                pass


def ratios_of(learner):
    """Return the ratios of gradient descent's row of the benchmark, in executed lines instead of seconds."""
    entry = learners.Entry(learner, linear.Weights, rounds=40, few=40)
    case = dataclasses.replace(learners.case_of(entry, quick=True), name="sgd")
    with Lines() as lines:
        sides = {name: dataclasses.replace(side, clock=lines) for name, side in case.sides.items()}
        return baseline.ratios_of([measure(dataclasses.replace(case, sides=sides), {}, 3)])


def test_the_check_fails_on_a_planted_slowdown_and_on_nothing_else(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(baseline, "FILE", tmp_path / "baseline.json")
    healthy, planted = ratios_of(LinearSgd()), ratios_of(Slower())
    baseline.write("quick", healthy)
    assert command.verdict(ratios_of(LinearSgd()), "quick", 1.01) == 0
    assert "2 ratios compared with the baseline, 0 fell" in capsys.readouterr().err
    assert command.verdict(planted, "quick", baseline.FACTOR["quick"]) == command.FELL == 1
    assert "fell: learners/sgd: pseudo-code / blocks" in capsys.readouterr().err
    assert len(baseline.fallen(planted, baseline.read("quick"), 4.0)) == 2


def test_a_ratio_falls_only_beyond_the_noise_of_both_runs_and_the_factor():
    before = {"a": Spread(10.0, 8.0, 12.0)}
    for high, factor, falls in [(7.9, 1.0, 1), (8.1, 1.0, 0), (7.9, 1.5, 0), (5.2, 1.5, 1), (5.4, 1.5, 0)]:
        assert len(baseline.fallen({"a": Spread(5.0, 1.0, high)}, before, factor)) == falls
    assert baseline.fallen({"b": Spread(0.0, 0.0, 0.0)}, before, 1.0) == []  # a new row


def test_ratios_are_taken_within_a_repeat():
    """Both sides are ten times slower in the second repeat, so that the ratio is the same."""
    times = iter([0, 1, 0, 4, 0, 10, 0, 40, 0, 1, 0, 4])
    entry = learners.Entry("zero", linear.Zero, rounds=1, few=1)
    case = learners.case_of(entry, quick=True)
    sides = {
        name: dataclasses.replace(case.sides[name], clock=lambda: next(times)) for name in ("blocks", "pseudo-code")
    }
    case = dataclasses.replace(case, sides=sides, ratios={"ratio": ("pseudo-code", "blocks")})
    assert measure(case, {}, 3).ratios["ratio"] == Spread(4.0, 4.0, 4.0)


def test_writing_some_rows_keeps_the_others(tmp_path):
    path = tmp_path / "baseline.json"
    baseline.write("full", {"a": Spread(1.0, 0.5, 2.0), "b": Spread(3.0, 3.0, 3.0)}, path)
    baseline.write("quick", {"a": Spread(9.0, 9.0, 9.0)}, path)
    baseline.write("full", {"b": Spread(4.0, 4.0, 4.0)}, path)
    assert baseline.read("full", path) == {"a": Spread(1.0, 0.5, 2.0), "b": Spread(4.0, 4.0, 4.0)}
    assert baseline.read("quick", path) == {"a": Spread(9.0, 9.0, 9.0)}


def test_the_baseline_has_rows_that_exist():
    rows = {f"learners/{entry.spec}" for entry in learners.entries()}
    for mode in ("full", "quick"):
        kept = [name.partition(":")[0] for name in baseline.read(mode) if name.startswith("learners/")]
        assert set(kept) <= rows
        assert kept


def test_a_row_can_be_chosen_by_a_part_of_its_name_or_by_a_pattern():
    assert command.matcher("fogd")("learners/fogd(frequencies=1000)")
    assert command.matcher("*/pkawv*degree=3*")("learners/pkawv(embedding=taylor(degree=3))")
    assert not command.matcher("growth/")("learners/zero")
    assert command.matcher(None)("anything")


def test_a_name_that_no_row_has_is_refused(capsys):
    assert command.main(["--only", "no such row"]) == command.WRONG == 2
    assert "no row has 'no such row'" in capsys.readouterr().err


def test_a_run_prints_its_table_and_the_machines_rates(capsys):
    assert command.main(["--quick", "--repeats", "1", "--only", "learners/zero"]) == 0
    shown = capsys.readouterr().out
    assert "| `zero` | 2,000 rounds |" in shown
    assert all(f"| {name} |" in shown for name in UNITS)


def test_the_page_and_the_json_have_every_measured_row():
    spread = Spread(2.0, 1.0, 3.0)
    results = [
        Result("learners", "zero", "9 rounds", "round", {"blocks": spread}, {"r": spread}),
        Result(
            "growth", "greedy, over n", "n = 1, 2", "largest", {"ours": spread}, {"g": spread}, note="1.0, theory 3"
        ),
        Result("engine", "rounds", "9 rounds", "round", {"ours": spread, "loop": spread}, {"loop / ours": spread}),
    ]
    machine = dict.fromkeys(rates(), spread)
    text = page(results, machine, repeats=3)
    for part in ("| `zero` | 9 rounds | 2,000,000 | 2 [1, 3] |", "1.0, theory 3", "| loop | 2,000,000 | 2 [1, 3] |"):
        assert part in text
    assert [row["name"] for row in as_json(results, machine)["rows"]] == ["zero", "greedy, over n", "rounds"]


def test_naive_answers_equal_the_views():
    run = play("kernel-awv", opponents.Naive(build("adversary", "greedy(starts=4, polished=0)"), "unused"), rounds=1)
    assert run.forfeit is not None  # the twin really asks the learner that it is given
    assert run.forfeit.side == "adversary"
