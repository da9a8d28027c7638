"""The fields of a match's film equal slow computations; a missing field has a note with the reason."""

import base64
import dataclasses

import numpy as np
import pytest

from arena import Theorem, play
from arena.reports.film import EVALUATIONS, SLACK_GRIDS, film_of, frames_of
from arena.reports.film_fields import box_grid
from arena.specs.building import build
from arena.testing import transcript


def values_of(film, name):
    field = film["fields"][name]
    levels = np.frombuffer(base64.b64decode(field["data"]), "<u2" if field["bytes"] == 2 else "u1").astype(float)
    most = 256 ** field["bytes"] - 1
    values = field["low"] + (levels - 1) / (most - 1) * (field["high"] - field["low"])
    return np.where(levels, values, np.nan).reshape(-1, field["grid"] ** film["dimension"])


@pytest.fixture(scope="module")
def run():
    return play("kernel-awv", "greedy(starts=16, polished=0)", rounds=12, dimension=1)


@pytest.fixture(scope="module")
def film(run):
    return film_of(run, run.verdicts())


def test_moves_and_curves_are_those_of_the_transcript(run, film):
    assert film["frames"] == list(range(1, 13))
    assert film["notes"] == []
    for name in ("labels", "predictions", "losses", "regret"):
        assert film[name] == pytest.approx(getattr(run, name), rel=1e-9), name
    assert film["points"] == run.points.round(12).tolist() or np.allclose(film["points"], run.points, rtol=1e-9)
    assert film["allowed"] == pytest.approx(run.verdict(film["theorem"]).allowed_curve, rel=1e-9)


def test_the_predictor_is_that_of_the_learner_and_the_comparator_the_best_of_earlier_rounds(run, film):
    grid = box_grid(run.game, film["fields"]["predictor"]["grid"])
    learner = build("learner", run.learner)
    learner.begin(run.game, np.random.default_rng(0))
    predicted, best = values_of(film, "predictor"), values_of(film, "comparator")
    K = run.game.kernel.gram(run.points, run.points)
    for t in range(run.rounds):
        exact = learner.peek(grid)
        assert predicted[t] == pytest.approx(exact, abs=1e-4)
        weights = np.linalg.solve(K[:t, :t] + run.game.regularisation * np.eye(t), run.labels[:t])
        assert best[t] == pytest.approx(run.game.kernel.gram(grid, run.points[:t]) @ weights, abs=1e-4)
        learner.update(run.points[t], run.labels[t])


def test_the_slack_is_that_of_matches_that_end_elsewhere(run, film):
    slack = values_of(film, "slack")
    grid = box_grid(run.game, SLACK_GRIDS[1])
    frames = film["fields"]["slack"]["frames"]
    step = film["fields"]["slack"]["high"] / 60_000
    for row in (0, len(frames) // 2, len(frames) - 1):
        t = frames[row]
        for at in (0, 7, 30):
            x, left = grid[at], []
            for label in (run.game.label_bound, -run.game.label_bound):
                learner = build("learner", run.learner)
                learner.begin(run.game, np.random.default_rng(0))
                for point, y in zip(run.points[: t - 1], run.labels[: t - 1], strict=True):
                    learner.update(point, y)
                other = transcript(
                    [*run.points[: t - 1], x], labels=[*run.labels[: t - 1], label],
                    predictions=[*run.predictions[: t - 1], learner.predict(x)],
                )  # fmt: skip
                verdict = other.verdict(film["theorem"])
                left.append(verdict.allowed - verdict.measured)
            assert slack[row, at] == pytest.approx(min(left), abs=2 * step + 1e-9)


def test_without_a_bound_the_film_shows_what_the_adversary_could_gain():
    run = play("krr", "greedy(starts=16, polished=0)", rounds=10)
    film = film_of(run, [])
    assert set(film["fields"]) == {"predictor", "comparator", "growth"}
    assert "no bound on the regret was decided" in film["notes"][0]
    growth, predicted = values_of(film, "growth"), values_of(film, "predictor")
    grid = box_grid(run.game, film["fields"]["growth"]["grid"])
    mean = run.game.kernel.gram(grid, run.points[:0]) @ np.zeros(0)
    variance = run.game.kernel.diagonal(grid)
    weight = 1.0 / (1.0 + variance)
    change = [(predicted[0] - y) ** 2 - weight * (mean - y) ** 2 for y in (1.0, -1.0)]
    assert growth[0] == pytest.approx(np.max(change, axis=0), abs=0.02)


def test_what_cannot_be_computed_is_left_out_with_a_reason(run):
    class Evident(Theorem):
        """A theorem whose bound in round t depends on the number of all rounds."""

        name, statement = "evident", "R <= T"

        def allowed(self, run):
            return np.full(run.rounds, float(run.rounds))

    film = film_of(run, [run.verdict(Evident())])
    assert "slack" not in film["fields"]
    assert any("depends on more than the moves so far" in note for note in film["notes"])
    other = dataclasses.replace(run, predictions=run.predictions + 0.5)
    notes = film_of(other, [])["notes"]
    assert any("not the recorded" in note for note in notes)
    unknown = dataclasses.replace(run, learner="./mine.py:Mine")
    assert any("names code outside the arena" in note for note in film_of(unknown, [])["notes"])
    given = dataclasses.replace(run, learner="<Mine>")
    assert any("given as an object" in note for note in film_of(given, [])["notes"])
    assert film_of(play("zero", "alternating", rounds=5, dimension=3), []) is None
    hinge = play("fgd", "alternating", rounds=5, loss="hinge")
    assert set(film_of(hinge, hinge.verdicts())["fields"]) == {"predictor"}


def test_a_film_keeps_its_size():
    run = play("kernel-awv", "drift", rounds=400)
    film = film_of(run, run.verdicts(), size=60_000)
    assert len(film["frames"]) <= 60_000 / (4 * 25**2) + 1
    assert film["frames"][:3] == [1, 2, 3]
    assert film["frames"][-1] == 400
    assert any("stops at" in note for note in film["notes"])
    slack = film["fields"].get("slack")
    assert slack is None or 2 * len(slack["frames"]) * SLACK_GRIDS[2] ** 2 <= EVALUATIONS
    assert frames_of(10, 20).tolist() == list(range(1, 11))
