"""The result of a hunt is reproducible, has a reason, and treats chance and kept failures correctly."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

import arena
from arena import play
from arena.counterexamples.failures import Failures
from arena.counterexamples.shrinking_and_keeping import shrink_and_keep
from arena.errors import ArenaError
from arena.game.game import Game
from arena.hunt import hunt
from arena.hunt.candidates import Candidate, Script
from arena.hunt.judged_match import HuntedMatch, last_label_turned, play_candidate
from arena.hunt.target import target_of
from arena.hunt.watchdog import Watchdog
from arena.record.theorem import Theorem

WATCHDOG = Watchdog(limit=60.0, patience=60.0, deadline=math.inf, notice=lambda _: None)


def plain(found):
    """Return the result of a hunt without its seconds, for comparisons."""
    content = found.as_json()
    del content["seconds"]
    moves = [
        (each.transcript.points.tolist(), each.transcript.labels.tolist()) for each in found.closest if each.transcript
    ]
    return content, moves


def test_the_same_seed_and_matches_find_the_same():
    hunts = [
        hunt("kons", matches=120, workers=workers, rounds=15, seed=seed) for workers, seed in ((0, 5), (1, 5), (0, 6))
    ]
    assert plain(hunts[0]) == plain(hunts[1])
    assert plain(hunts[0]) != plain(hunts[2])


def test_the_choice_of_adversaries_does_not_depend_on_the_speed_of_the_machine():
    first, second = (hunt("fgd", "at-most(regret=1000)", matches=450, workers=0, rounds=12) for _ in range(2))
    assert plain(first) == plain(second)


def test_a_spiteful_match_whose_last_label_is_turned_is_played_with_exactly_these_labels():
    target = target_of("krr", "awv-logdet", Game())
    moves = Script(np.zeros((3, 1)), np.full(3, 0.1))
    spiteful = Candidate("spiteful", Game(rounds=3, dimension=1), moves=moves, spite=target.theorems[0])
    run = play_candidate(spiteful.replace(spite=None), target, WATCHDOG)[0]
    turned = last_label_turned(HuntedMatch(spiteful, run, "played", verdicts=target.judge(run)), target)
    assert play_candidate(turned, target, WATCHDOG)[0].labels.tolist() == [0.1, 0.1, -1.0]
    assert set(play_candidate(spiteful, target, WATCHDOG)[0].labels) <= {-1.0, 1.0}  # it does not keep to a script


@pytest.mark.parametrize("noise", [-1e-15, 0.0, 1e-15])
def test_a_label_with_adaptive_sign_does_not_take_the_sign_of_a_rounding_error(noise):
    """KernelAWV predicts what is fair, and only rounding decides on which side of it the prediction lies."""
    game = Game(dimension=1, rounds=2)
    moves = Script(np.zeros((2, 1)), np.array([0.5, 0.25]), adaptive_signs=np.array([False, True]))
    fair = play("kernel-awv", Candidate("", game, moves=moves).opponent(), game=game).predictions

    class Fair:
        def predict(self, x):
            return fair[1] + noise if self.t else fair[0]

        def begin(self, game, rng):
            self.t = 0

        def update(self, x, y):
            self.t += 1

    run = play(Fair(), Candidate("", game, moves=moves).opponent(), game=game)
    assert run.labels.tolist() == [0.5, 0.25]


def test_a_deviation_of_the_size_of_rounding_errors_ranks_no_sequence():
    match = HuntedMatch(Candidate("", Game()), None, "played")
    verdict = play("krr", "alternating", rounds=5).verdict("ridge-identity")
    for measured, closeness in ((1e-15, 0.0), (1e-13, 0.0), (5e-9, 0.5), (1.0, 1.0)):
        match.verdicts = [replace(verdict, measured=measured)]
        assert match.closeness == pytest.approx(closeness)


def test_a_premise_that_the_learner_does_not_meet_is_a_violation():
    """The theorem assumes predictions within [-1, 1], which KRR does not clip."""
    found = hunt("krr", "clipped-krr", matches=400, workers=0)
    assert found.violation.kind == "premise"
    assert "predictions within [-1, 1]" in found.violation.reason


def test_a_match_that_was_cut_short_has_no_evidence_and_accuses_nobody():
    run = replace(play("pkawv-kors", "repeated", rounds=5), evidence={})
    verdicts = [run.verdict("kors-identity")]
    assert "evidence" in verdicts[0].reason
    candidate = Candidate("", run.game)
    assert HuntedMatch(candidate, run, "played", verdicts=verdicts).premise is verdicts[0]
    assert HuntedMatch(candidate, run, "cut short", verdicts=verdicts).premise is None


def test_a_learner_without_a_promise_needs_a_theorem():
    with pytest.raises(ArenaError, match=r"promises no theorem.*`theorems="):
        hunt("zero", matches=5, workers=0)


@pytest.mark.parametrize("wrong", [{"budget": 0.0}, {"matches": 0}, {"budget": float("nan")}, {"budget": float("inf")}])
def test_budgets_are_checked(wrong):
    with pytest.raises(ArenaError, match="budget > 0"):
        hunt("krr", workers=0, **wrong)


@pytest.mark.parametrize("workers", [0, 1])
def test_a_learner_that_refuses_the_game_is_an_error(workers):
    with pytest.raises(ArenaError, match="taylor is the series of the gaussian kernel"):
        hunt("pkawv", matches=5, workers=workers, kernel="laplacian")


def test_the_result_says_why_no_theorem_applied():
    found = hunt("krr", "forgetron-mistakes(budget=5)", matches=10, workers=0)
    assert not found.applied
    assert "at least 83" in found.closest[0].reason


def test_a_hunt_of_so_many_matches_does_not_depend_on_the_clock(monkeypatch):
    """On a busy machine the survey of games was given up, and a long match was cut short."""
    options = {"matches": 250, "workers": 0, "rounds": 20}
    usual = hunt("kernel-awv", "awv-logdet", **options)
    assert "kernel" in usual.varied
    monkeypatch.setattr("arena.hunt.game_space.time", Slow())
    limits = []
    monkeypatch.setattr(
        "arena.hunt.hunter.Watchdog", lambda limit, *more: limits.append(limit) or Watchdog(limit, *more)
    )
    assert plain(hunt("kernel-awv", "awv-logdet", **options)) == plain(usual)
    assert limits == [math.inf]


class Slow:
    """A clock that advances 2 seconds whenever it is read."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        self.now += 2.0
        return self.now


def test_progress_is_reported():
    seen = []
    hunt("kernel-awv", budget=1.0, workers=2, on_progress=lambda so_far: seen.append(so_far.matches))
    assert seen
    assert seen == sorted(seen)


@dataclass(frozen=True)
class Fair(Theorem):
    """A theorem with confidence 0.8 that fails with the probability `share` in each match of `Tosses`."""

    name = "fair"
    share: float = 0.2

    @property
    def confidence(self):
        return 0.8

    def measured(self, run):
        return np.full(run.rounds, float(run.predictions[0] < self.share))

    def allowed(self, run):
        return np.full(run.rounds, 0.5)


@dataclass
class Tosses(arena.Learner):
    """A learner that predicts one random number throughout the match."""

    def begin(self, game, rng):
        self.coin = rng.random()

    def predict(self, x):
        return self.coin

    def update(self, x, y):
        pass


def test_a_theorem_that_fails_as_often_as_it_says_is_not_violated():
    """The hunt plays many matches that exceed the bound, but no more than one in five, as the theorem allows."""
    found = hunt(Tosses(), Fair(), matches=600, workers=0, rounds=5)
    assert found.violation is None
    assert found.closest[0].matches > 100


def test_a_theorem_that_fails_more_often_than_it_says_is_violated():
    found = hunt(Tosses(), Fair(share=0.7), matches=600, workers=0, rounds=5)
    assert found.violation.series.violated
    assert "binomial" in found.violation.series.method


def test_kept_failures_are_played_first(tmp_path):
    first = hunt("krr", "awv-logdet", matches=50, workers=0)
    run, theorem = first.violation.transcript, first.violation.theorem
    result = shrink_and_keep("krr", run, theorem, budget=1000.0, store=Failures(tmp_path), own_process=True)
    assert result.shrunk.rounds == 2
    again = hunt("krr", "awv-logdet", matches=50, workers=0, kept=tmp_path)
    assert result.failure.id in again.violation.adversary
    assert again.matches == 0
    other = hunt("krr", "ridge-identity", matches=20, workers=0, rounds=20, kept=tmp_path)
    assert other.violation is None


def test_the_figure_shows_the_violation_else_the_closest_match():
    broken = hunt("krr", "awv-leverage", matches=60, workers=0, rounds=12)
    assert broken.violation is not None
    texts = [each.get_text() for each in broken.figure().axes[0].texts]
    assert any("first beyond awv-leverage" in each for each in texts)
    kept = hunt("kernel-awv", "awv-leverage", matches=20, workers=0, rounds=12)
    words = " ".join(kept.figure().texts[1].get_text().split())
    assert words.endswith(f"it uses {kept.closest[0].tightness:.0%} of the bound awv-leverage")
    with pytest.raises(ArenaError, match="no figure"):
        hunt("krr", "forgetron-mistakes(budget=5)", matches=5, workers=0).figure()
