"""Lower bounds hold for every learner, are attained by some, and are violated by wrong adversaries.

With REGRET_ARENA_FULL=1 each is judged in two thousand matches in which its assumptions hold.
"""

import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from arena import Learner, play
from arena.adversaries.alternating import Alternating
from arena.adversaries.greedy import Greedy
from arena.adversaries.minimax import Minimax
from arena.adversaries.orthogonal import Orthogonal
from arena.adversaries.repeated import Repeated
from arena.components.one_point import square_weights, value_table
from arena.errors import ArenaError
from arena.game.losses import Squared
from arena.papers.tightness import example, promised_by
from arena.players.moves import GivenMoves
from arena.record.both_sides import both_sides
from arena.record.judging import judge, lower_bounds_of
from arena.record.judging_seeds import judge_series
from arena.record.transcript import Transcript
from arena.reports.page import report
from arena.specs import registry
from arena.specs.building import build
from arena.theorems.lower_bounds import FixedDictionary
from arena_tests import FULL

WANTED = 2000 if FULL else 12
EVERY = sorted(name for name in registry.entries("theorem") if registry.find("theorem", name).lower)
FAR_APART = {"kernel": "gaussian(bandwidth=0.005)"}
LEARNERS = ["kernel-awv", "krr", "clipped-krr", "zero", "kons", "fgd", "fgd(rate=0.2)", "perceptron", "pkawv", "nogd",
            "pros-n-kons", "pkawv-kors", "fogd", "sketched-kons", "ewa"]  # fmt: skip
GAMES = {  # of each lower bound: adversaries, the fixed fields of the game, learners
    "one-point": (["minimax"], {}, LEARNERS),
    "greedy-labels": (["greedy(starts=8, polished=0)", "orthogonal(labels=contrary)"], {"loss": "squared"}, LEARNERS),
    "orthogonal-points": (["orthogonal(labels=contrary)"], {"loss": "squared", **FAR_APART}, LEARNERS),
    "coin-labels": (["orthogonal", "leverage(starts=8, polished=0)"], {"loss": "squared"}, LEARNERS),
    "followers": (["alternating"], {"loss": "squared", "kernel": "gaussian"},
                  ["fgd", "fgd(rate=0.02)", "fgd(rate=0.4)"]),
    "fixed-dictionary": (["repeated(points=12)", "budget-breaker"], {"loss": "squared", **FAR_APART},
                         ["zero", "b-kons(max_size=4)", "nogd(budget=3, rank=3)", "forgetron(budget=3)"]),
}  # fmt: skip


def a_match(name, number):
    """Return a match of the lower bound's adversary with a random learner and game; None if it cannot be played."""
    adversaries, fixed, learners = GAMES[name]
    rng = np.random.default_rng([number, *name.encode()])
    game = {
        "loss": str(rng.choice(["squared", "squared", "absolute", "logistic", "hinge", "squared-hinge"])),
        "kernel": str(rng.choice(["gaussian", "gaussian(bandwidth=0.2)", "laplacian", "linear(offset=2)"])),
        "label_bound": float(rng.choice([1.0, 1.0, 1e-2, 3.0])),
        "regularisation": float(10.0 ** rng.uniform(-1.5, 2)),
        "rounds": int(rng.integers(3, 45)),
        **fixed,
    }
    try:
        run = play(str(rng.choice(learners)), str(rng.choice(adversaries)), seed=number, **game)
    except ArenaError:
        return None
    return None if run.forfeit else run


@pytest.mark.parametrize("name", EVERY)
def test_it_holds_for_learners_of_every_kind(name):
    applied, broken, met = 0, [], Counter()
    for number in range(20 * WANTED):
        run = a_match(name, number)
        if run is None:
            continue
        verdict = judge(run, next(each for each in run.promised_from_below if each.name == name))
        applied += verdict.applicable
        met[run.learner] += verdict.applicable
        broken += [f"{run.learner}, {number}: {verdict}"] if verdict.violated else []
        if applied == WANTED:
            break
    assert applied == WANTED
    assert len(met) > 1
    allowed = 0.05 if build("theorem", name).confidence < 1 else 0.0
    assert len(broken) <= allowed * applied + 3 * math.sqrt(allowed * applied), broken[0]


# ---- planted mistakes


class WrongWay(Minimax):
    """`Minimax` with the wrong sign of the label."""

    def _prefers_up(self, number, prediction):
        return not super()._prefers_up(number, prediction)


class TooTimid(Minimax):
    """`Minimax` with labels of half the size."""

    def label(self, view, x, prediction):
        return 0.5 * super().label(view, x, prediction)


class Obliging(Orthogonal):
    """`Orthogonal` with labels that have the sign of the prediction."""

    def label(self, view, x, prediction):
        return self.bound if prediction > 0 else -self.bound


class ObligingGreedy(Greedy):
    """`Greedy` with the label that raises the regret less."""

    def label(self, view, x, prediction):
        return -super().label(view, x, prediction)


class Constant(Alternating):
    """`Alternating` with the same label in every round."""

    def block(self, view, rounds):
        points, labels = super().block(view, rounds)
        return points, np.abs(labels)


class Guesses(Learner):
    """A learner that predicts -B and B in turn."""

    def begin(self, game, rng):
        self.t, self.size = 0, game.label_bound

    def predict(self, x):
        return self.size if self.t % 2 else -self.size

    def update(self, x, y):
        self.t += 1


class Undecided(Repeated):
    """An adversary that promises a lower bound for one label at each point, but changes the labels."""

    lower_bounds = (FixedDictionary(),)


WRONG = [
    ("one-point", "kernel-awv", WrongWay(), {}),
    ("one-point", "zero", TooTimid(), {"regularisation": 100.0, "rounds": 10}),
    ("one-point", Guesses(), WrongWay(), {"loss": "absolute"}),
    ("orthogonal-points", Guesses(), Obliging(labels="contrary"), {**FAR_APART, "rounds": 30}),
    ("greedy-labels", "kons", ObligingGreedy(starts=8, polished=0), {"rounds": 60}),
    ("followers", "fgd", Constant(), {}),
    ("fixed-dictionary", "zero", Undecided(points=5, labels="alternating"), FAR_APART),
]


@pytest.mark.parametrize(("name", "learner", "adversary", "game"), WRONG)
def test_an_adversary_with_a_wrong_label_rule_breaks_its_promise(name, learner, adversary, game):
    run = play(learner, adversary, **game)
    verdict = run.verdict(name)
    assert verdict.violated, str(verdict)
    assert verdict.margin > 0
    assert "falls below the lower bound" in verdict.reason
    assert name in [each.name for each in run.lower_verdicts() if each.violated]


def test_in_an_interval_a_lower_bound_is_judged_at_the_favourable_end():
    run = play("zero", "minimax", rounds=60, hindsight="interval")
    run.comparator.interval(features=1)
    (found,) = run.lower_verdicts()
    assert found.measured == judge(run.at_end("favourable"), found.theorem).measured < found.other_end[0]
    assert "for every value in the interval, at the favourable end: regret" in str(found)


def test_labels_that_oblige_are_no_coins():
    adversary = Obliging(labels="contrary")
    verdicts = [judge(play(Guesses(), adversary, rounds=60, seed=seed), "coin-labels") for seed in range(8)]
    assert judge_series(range(8), verdicts).violated
    fair = [judge(play(Guesses(), "orthogonal", rounds=60, seed=seed), "coin-labels") for seed in range(8)]
    assert judge_series(range(8), fair).holds


def test_a_regret_that_a_tiny_lambda_makes_inaccurate_is_not_below_a_bound_that_is_far_below_the_losses():
    game = {"dimension": 1, "label_bound": 3.92e7, "kernel": "laplacian", "regularisation": 1.98e-12}
    run = play("perceptron", "alternating", rounds=36, **game)
    assert judge(run, "followers").holds
    assert abs(run.regret[-1]) < 1e-4 * run.loss  # the regret is a rounding error of the losses


def test_every_lower_bound_has_a_planted_mistake_and_a_game():
    assert {name for name, *_ in WRONG} | {"coin-labels"} == set(EVERY) == set(GAMES)
    for name in EVERY:
        assert promised_by(name)


# ---- attained


class KnowsTheValue(Learner):
    """The minimax learner at one point, against which both labels give the same value of the game."""

    def begin(self, game, rng):
        self.game, self.t, self.plus, self.sum = game, 0, 0, 0.0
        if isinstance(game.loss, Squared):
            self.weights = square_weights(game.rounds, 1.0, game.regularisation)
        else:
            self.values = value_table(game.loss, game.label_bound, game.rounds, 1.0, game.regularisation)

    def predict(self, x):
        if isinstance(self.game.loss, Squared):
            return float(self.weights[self.t] * self.sum)
        after = self.values[self.t + 1]
        bound, loss, low, high = self.game.label_bound, self.game.loss, -60.0, 60.0
        for _ in range(80):
            z = (low + high) / 2
            up = loss.value(z, bound) + after[self.plus + 1] > loss.value(z, -bound) + after[self.plus]
            low, high = (z, high) if up else (low, z)
        return high

    def update(self, x, y):
        self.t, self.plus, self.sum = self.t + 1, self.plus + (y > 0), self.sum + y


@pytest.mark.parametrize("game", [{}, {"regularisation": 0.1, "label_bound": 3.0}, {"regularisation": 50.0}])
def test_a_learner_that_knows_the_value_attains_it(game):
    run = play(KnowsTheValue(), "minimax", rounds=100, **game)
    assert run.verdict("one-point").tightness == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(("loss", "share"), [("absolute", 0.999), ("logistic", 0.999), ("squared-hinge", 0.999)])
def test_it_attains_the_value_of_other_losses(loss, share):
    run = play(KnowsTheValue(), "minimax", rounds=60, loss=loss)
    (verdict,) = run.lower_verdicts()
    assert verdict.holds, str(verdict)
    assert verdict.tightness > share


def test_awv_attains_the_bound_of_greedy_labels_in_every_match():
    for seed in range(3):
        run = play("kernel-awv", "greedy(starts=16, polished=0)", rounds=40, seed=seed)
        assert run.verdict("greedy-labels").tightness == pytest.approx(1.0, abs=1e-9)


def test_at_orthogonal_points_the_lower_and_the_upper_bound_meet():
    run = play("kernel-awv", "orthogonal(labels=contrary)", rounds=60, regularisation=3.0, **FAR_APART)
    sides = {each.theorem: each for each in both_sides(run.verdicts(), run.lower_verdicts())}
    assert sides["awv-leverage"].meet
    assert sides["awv-leverage"].lower == pytest.approx(60 / 4.0)
    assert "the two bounds meet" in str(sides["awv-leverage"])
    assert not sides["awv-logdet"].meet
    assert sides["awv-logdet"].place == pytest.approx(0.0, abs=1e-9)


def test_descent_is_as_bad_as_its_lower_bound_says():
    run = play("fgd", "alternating", rounds=2000)
    (verdict,) = run.lower_verdicts()
    assert verdict.name == "followers"
    assert 0.99 < verdict.tightness <= 1.0
    assert verdict.allowed == pytest.approx(2 * math.sqrt(2000), rel=0.05)


@pytest.mark.parametrize("size", [1, 4])
def test_a_dictionary_that_is_too_small_loses_a_share_of_all_rounds(size):
    """The learner misses 12 - size of 12 points, with the loss B^2 a round; the comparator loses 20/21 at each."""
    run = play(f"b-kons(max_size={size})", "repeated(points=12)", rounds=240, **FAR_APART)
    (verdict,) = run.lower_verdicts()
    assert verdict.name == "fixed-dictionary"
    assert verdict.allowed == pytest.approx(240 * (12 - size) / 12 - 12 * 20 / 21)
    assert verdict.holds
    assert play("kernel-awv", "repeated(points=12)", rounds=240, **FAR_APART).lower_verdicts() == []
    assert judge(play("zero", "repeated(points=12)", rounds=240, **FAR_APART), "fixed-dictionary").tightness == 1.0


def test_followers_do_not_concern_other_learners():
    assert play("kernel-awv", "alternating", rounds=20).lower_verdicts() == []
    assert not play("kernel-awv", "alternating", rounds=20).verdict("followers").applicable


@pytest.mark.parametrize("learner", ["batch-krr", "libsvm", "llsvm", "ewa(of=[batch-krr])"])
@pytest.mark.parametrize("adversary", ["orthogonal", "leverage(starts=8, polished=0)"])
def test_coins_bind_no_learner_that_knows_the_labels(learner, adversary, tmp_path):
    run = play(learner, adversary, rounds=30, kernel="gaussian(bandwidth=0.05)")
    for match in (run, Transcript.load(run.save(tmp_path / "match.npz"))):
        (verdict,) = (judge(match, each) for each in lower_bounds_of(match))
        assert verdict.name == "coin-labels"
        assert verdict.reason == "the learner does not know the labels beforehand"
    others = [judge(run, name) for name in ("one-point", "greedy-labels", "orthogonal-points")]
    assert not any(each.applicable for each in others)
    # these are about the predictions, whatever the learner knows
    assert play(learner, "repeated(points=5)", rounds=20).header["foresight"] == "yes"
    assert "foresight" not in play("krr", adversary, rounds=3).header


def test_the_bound_of_greedy_labels_is_the_least_that_any_prediction_yields():
    """At points far from zero the forecasts m / s of a linear function exceed B."""
    points = np.concatenate([np.full(20, 0.5), [1.0, -3.0, 5.0, 5.0]])[:, np.newaxis]
    game = {"dimension": 1, "box": (-5.0, 5.0), "kernel": "linear", "label_bound": 2.0}
    run = play("zero", GivenMoves(points, np.full(len(points), 2.0)), rounds=len(points), **game)
    known = run.hindsight()
    assert (np.abs(known.mean / known.stretch) > 2.0).any()
    z = np.linspace(-12.0, 12.0, 240_001)
    changes = [
        np.maximum(*(np.square(z - y) - (y - m) ** 2 / s for y in (2.0, -2.0))).min()
        for m, s in zip(known.mean, known.stretch, strict=True)
    ]
    np.testing.assert_allclose(run.verdict("greedy-labels").allowed_curve, np.cumsum(changes), atol=0.005)


@pytest.mark.parametrize("learner", ["ewa", "zero", "krr", "kernel-awv", "clipped-krr"])
@pytest.mark.parametrize("box", [(-5.0, 5.0), (1.0, 5.0), (-1000.0, 1000.0), (900.0, 1000.0)])
def test_greedy_labels_in_boxes_of_every_size(learner, box):
    for seed in range(3):
        game = {"rounds": 60, "dimension": 1, "box": box, "kernel": "linear", "seed": seed}
        (verdict,) = play(learner, "greedy(starts=1, polished=0)", **game).lower_verdicts()
        assert not verdict.violated


def test_coins_cost_nearly_what_they_cost_zero():
    run = play("zero", "orthogonal", rounds=800, **FAR_APART)
    assert judge(run, "coin-labels").tightness > 0.95


# ---- promised, kept, shown


def test_an_adversarys_lower_bounds_are_kept_in_the_file(tmp_path):
    run = play("kernel-awv", "minimax", rounds=20)
    again = Transcript.load(run.save(tmp_path / "match.npz"))
    assert [each.name for each in lower_bounds_of(again)] == ["one-point"]
    assert again.lower_verdicts() == run.lower_verdicts()


def test_lower_bounds_of_a_users_adversary_are_judged():
    class Mine:
        lower_bounds = ("one-point",)

        def point(self, view):
            return np.zeros(view.game.dimension)

        def label(self, view, x, prediction):
            return 1.0 if prediction > 0 else -1.0

    (verdict,) = play(Guesses(), Mine(), rounds=20).lower_verdicts()
    assert verdict.violated


def test_a_match_that_was_cut_short_is_judged_where_that_is_possible():
    cut = {"points": slice(30)}
    for loss, outcome in (("squared", "holds"), ("absolute", "not applicable")):
        run = play("kernel-awv", "minimax", rounds=60, loss=loss)
        short = replace(run, **{name: getattr(run, name)[cut["points"]] for name in
                                ("points", "labels", "predictions", "seconds")}, ended="interrupted")  # fmt: skip
        assert short.verdict("one-point").outcome == outcome


def test_the_page_shows_both_sides():
    text = report(play("kernel-awv", "minimax", rounds=30))
    assert '<h2 id="lower-bounds">' in text
    assert "of the way" in text
    assert "Lower bounds" not in report(play("kernel-awv", "far-point", rounds=30))


@pytest.mark.parametrize("name", EVERY)
def test_it_has_an_example(name):
    assert f"{name}: holds" in example(name).verdict or f"{name}: not applicable: it may fail" in example(name).verdict


def test_json_and_exit_code(arena_command):
    result = arena_command("play", "kernel-awv", "minimax", "--rounds", "30", "--json")
    found = json.loads(result.output)
    assert [each["kind"] for each in found["lower_bounds"]] == ["lower bound"]
    assert found["both_sides"][0]["lower"] <= found["both_sides"][0]["measured"] <= found["both_sides"][0]["upper"]
    assert (
        json.loads(arena_command("play", "zero", "minimax", "--bound", "none", "--json").output)["lower_bounds"] == []
    )


@pytest.fixture
def arena_command():
    from click.testing import CliRunner

    from arena.cli import main

    return lambda *words: CliRunner().invoke(main, list(words))


def test_a_lower_bound_can_be_named_and_is_printed_once(arena_command):
    result = arena_command("play", "kernel-awv", "minimax", "--rounds", "30", "--bound", "one-point")
    assert result.exit_code == 0
    assert result.output.count("one-point: holds: regret") == 1


@pytest.mark.parametrize(("words", "why"), [
    (("hunt", "kernel-awv", "--bound", "one-point"), "a hunt plays adversaries of its own"),
    (("shrink", "match.npz", "--bound", "one-point"), "nothing can be shrunk"),
])  # fmt: skip
def test_what_varies_the_moves_refuses_lower_bounds(arena_command, tmp_path, monkeypatch, words, why):
    monkeypatch.chdir(tmp_path)
    play("kernel-awv", "minimax", rounds=10).save(tmp_path / "match.npz")
    result = arena_command(*words)
    assert result.exit_code == 2
    assert f"one-point is a lower bound, which its adversary promises, not the learner: {why}" in result.output


def test_a_violated_lower_bound_fails_the_command(arena_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nclass Kind:\n    lower_bounds = ('one-point',)\n"
        "    def point(self, view): return np.zeros(view.game.dimension)\n"
        "    def label(self, view, x, prediction): return prediction\n"
    )
    result = arena_command("play", "kernel-awv", "./mine.py:Kind", "--rounds", "5")
    assert result.exit_code == 1
    assert "one-point: violated: regret 0 falls below the lower bound" in result.output
    words = ("tournament", "kernel-awv", "--against", "./mine.py:Kind", "--rounds", "5", "--workers", "0", "--json")
    result = arena_command(*words)
    assert result.exit_code == 1
    assert json.loads(result.output.splitlines()[-1])["outcomes"][0]["violated"] == ["one-point"]
