"""A bound is vacuous if it allows as much as is possible in the game; identities and lower bounds never are."""

import json

import numpy as np
import pytest

from arena import Learner, play
from arena.game.losses import Absolute, EpsilonInsensitive, Hinge, Logistic, SmoothHinge, Squared, SquaredHinge
from arena.record.both_sides import both_sides
from arena.reports.page import report, write_report
from arena.specs.building import build
from arena.testing import transcript
from arena.tournament.series import play_series

LOSSES = [Squared(), Absolute(), EpsilonInsensitive(), Hinge(), SmoothHinge(), SquaredHinge(), Logistic()]


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize(("prediction_bound", "label_bound"), [(1.0, 1.0), (0.3, 2.0), (3.0, 0.5)])
def test_the_largest_loss_is_the_largest_on_a_grid(loss, prediction_bound, label_bound):
    z, y = np.meshgrid(np.linspace(-prediction_bound, prediction_bound, 41), np.linspace(-label_bound, label_bound, 41))
    assert loss.largest(prediction_bound, label_bound) == pytest.approx(float(loss.value(z, y).max()))


class Worst(Learner):
    """A learner that predicts the worse one of -C and C in a game whose labels alternate."""

    def begin(self, game, rng):
        self.t, self.size = 0, game.clip

    def predict(self, x):
        return -self.size if self.t % 2 == 0 else self.size

    def update(self, x, y):
        self.t += 1


@pytest.mark.parametrize("game", [{}, {"prediction_bound": 3.0, "label_bound": 0.5}, {"loss": "hinge"}])
def test_the_worst_learner_loses_the_largest_loss(game):
    run = play(Worst(), "alternating", rounds=20, **game)
    assert run.loss == pytest.approx(run.verdict("at-most(regret=1)").most)


@pytest.mark.parametrize(("allowed", "vacuous"), [(79.9, False), (80.0, True), (1e9, True)])
def test_a_bound_is_vacuous_from_the_largest_loss_on(allowed, vacuous):
    verdict = play("kernel-awv", "alternating", rounds=20).verdict(f"at-most(regret={allowed})")
    assert verdict.most == pytest.approx(80.0)
    assert verdict.vacuous is vacuous
    assert ("vacuous here: 80 is the largest possible" in str(verdict)) is vacuous
    assert verdict.as_json()["vacuous"] is vacuous


def test_a_learner_that_does_not_clip_is_judged_by_what_clipping_ensures():
    """A learner that does not clip can lose more than `most`, the largest loss with clipping."""
    run = transcript([[0.0]] * 4, labels=[1.0, -1.0, 1.0, -1.0], predictions=[-9.0, 9.0, -9.0, 9.0])
    verdict = run.verdict("at-most(regret=16)")
    assert verdict.violated
    assert verdict.vacuous


def test_a_negative_regret_is_no_share_of_a_bound():
    verdict = play("fgd", "drift(places=4)", rounds=60).verdict("ogd")
    assert verdict.measured < 0
    assert "below zero: the learner did better than the comparator" in str(verdict)
    assert "%" not in str(verdict)


def test_theorem_1_of_pros_n_kons_is_vacuous_at_its_defaults():
    verdict = play("pros-n-kons", "alternating").verdict("pros-n-kons-regret")
    assert verdict.holds
    assert verdict.vacuous
    assert verdict.allowed > verdict.most == 800.0


def test_the_page_marks_a_vacuous_bound_and_an_identity():
    assert "vacuous here: 800 is the largest possible" in report(play("pros-n-kons", "alternating"))
    assert "vacuous here" not in report(play("kernel-awv", "alternating"))
    assert "an identity" in report(play("perceptron", "alternating"))


def test_a_series_counts_its_vacuous_matches():
    series = play_series("pros-n-kons", "alternating", seeds=2, workers=1)
    verdict = next(each for each in series.verdicts if each.name == "pros-n-kons-regret")
    assert verdict.vacuous == 2
    assert "vacuous here" in verdict.reason
    lower = play_series("kernel-awv", "minimax", seeds=2, rounds=20, workers=1).lower_bounds
    assert [(each.name, each.outcome, each.kind) for each in lower] == [("one-point", "holds", "lower bound")]


@pytest.mark.parametrize("learner", ["perceptron", "projectron"])
def test_the_mistake_bound_of_the_zero_function_is_an_identity(learner):
    verdict = play(learner, "contrarian(source=repeated(points=5))", rounds=40).verdict(f"{learner}-mistakes")
    assert verdict.identity
    assert verdict.tightness is None
    assert not verdict.vacuous
    assert "an identity: it allows as much as is measured" in str(verdict)
    assert verdict.as_json()["identity"]


def test_other_mistake_bounds_are_no_identities():
    assert not play("forgetron", "far-point", rounds=40).verdict("forgetron-mistakes").identity
    assert not play("projectron-pp", "far-point", rounds=40).verdict("projectron-pp-mistakes").identity


def test_only_a_bound_on_another_quantity_is_moved():
    run = play("fgd", "alternating", rounds=51)  # its theorem is about another lambda than the lower bound
    assert {each.theorem for each in both_sides(run.verdicts(), run.lower_verdicts()) if each.moved} >= {"ogd"}
    same = play("fgd", "alternating", rounds=100, regularisation=5.0)  # 1 / (2 eta) for eta = 1 / sqrt(T)
    assert {each.theorem for each in both_sides(same.verdicts(), same.lower_verdicts()) if not each.moved} >= {"ogd"}


def test_a_lower_bound_named_by_bound_is_judged_from_below():
    run = play("kernel-awv", "alternating", rounds=50)
    verdict = run.verdict("one-point")
    assert verdict.kind == "lower bound"
    assert verdict.most is None
    assert verdict.tightness == pytest.approx(verdict.allowed / verdict.measured)
    assert build("theorem", "one-point").lower


def test_the_table_of_all_adversaries_counts_vacuous_matches():
    from click.testing import CliRunner

    from arena.cli import main

    words = ["play", "pros-n-kons", "--all-adversaries", "--rounds", "12", "--bound", "pros-n-kons-regret"]
    text = CliRunner().invoke(main, words).output
    assert "vacuous in " in text
    rows = json.loads(CliRunner().invoke(main, [*words, "--json"]).stdout)
    rows = rows["rows"] if "rows" in rows else rows["adversaries"]
    assert any("pros-n-kons-regret" in row["vacuous"] for row in rows)


def test_a_regret_beyond_the_largest_one_is_said_to_need_predictions_that_are_not_clipped(tmp_path):
    run = play("rls", "repeated", rounds=17, dimension=1, label_bound=100.0, regularisation=1e-8, seed=7)
    verdict = run.verdict("rls-regret")
    assert verdict.holds
    assert verdict.vacuous
    assert verdict.measured > verdict.most
    assert "680000 is the largest possible if predictions are clipped, so that" in str(verdict)
    page = write_report(run, tmp_path / "rls.html").read_text(encoding="utf-8")
    assert page.count("is the largest possible") == page.count("is the largest possible if predictions are clipped") > 0
