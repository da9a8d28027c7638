"""The order of calls in a round, in rounds and in blocks, and what each player learns about the other."""

import numpy as np
import pytest

from arena import Adversary, ArenaError, Learner, play
from arena.testing import OneByOne
from arena_tests.players import Script


class Diary:
    """A learner and adversary that records the calls of its methods."""

    def __init__(self):
        self.lines = []

    def begin(self, game, rng):
        self.lines.append("begin")

    def reveal(self, x):
        self.lines.append("reveal")

    def predict(self, x):
        self.lines.append("predict")
        return 0.25

    def update(self, x, y):
        self.lines.append(f"update {y:g}")


def test_a_round_is_point_reveal_predict_label_update():
    diary = Diary()

    class Watcher(Adversary):
        def begin(self, game, rng):
            diary.lines.append("adversary begins")

        def point(self, view):
            diary.lines.append(f"point {view.round}")
            assert len(view.points) == len(view.labels) == len(view.predictions) == view.round - 1
            return np.full(2, 0.1 * view.round)

        def label(self, view, x, prediction):
            assert prediction == 0.25
            diary.lines.append("label")
            return 1.0

    play(diary, Watcher(), rounds=2, kernel="linear")  # under other kernels the last function is looked at
    one = ["reveal", "predict", "predict", "label", "update 1"]  # asked twice at first: is predict pure?
    assert diary.lines == ["begin", "adversary begins", "point 1", *one, "point 2", *one]


def test_in_blocks_the_learner_meets_the_same_calls_in_the_same_order():
    rounds, blocks = Diary(), Diary()
    play(rounds, OneByOne("alternating"), rounds=5)
    play(blocks, "alternating", rounds=5)
    assert rounds.lines == blocks.lines
    assert blocks.lines.count("reveal") == 5


class Proxy:
    """A learner without a base class that passes on every attribute to another object, as wrappers do."""

    def __init__(self, inner):
        self._inner = inner

    def __getattr__(self, name):
        return getattr(self._inner, name)


def test_a_proxys_reveal_is_called_in_blocks_too():
    rounds, blocks = Diary(), Diary()
    play(Proxy(rounds), OneByOne("alternating"), rounds=3)
    play(Proxy(blocks), "alternating", rounds=3)
    assert rounds.lines.count("reveal") == blocks.lines.count("reveal") == 3


def test_an_oblivious_adversary_gets_no_prediction():
    seen = []

    class Curious(Script):
        def label(self, view, x, prediction):
            seen.append(prediction)
            return 1.0

    play("zero", Curious([(np.zeros(2), 1.0)] * 3, oblivious=True), rounds=3)
    assert np.isnan(seen).all()


@pytest.mark.parametrize("look", [lambda view: view.predictions, lambda view: view.peek(np.zeros((1, 2)))])
def test_the_view_forbids_an_oblivious_adversary_to_look_at_the_learner(look):
    class Cheat(Script):
        def point(self, view):
            look(view)
            return np.zeros(2)

    run = play("zero", Cheat([], oblivious=True), rounds=3)
    assert run.forfeit.side == "adversary"
    assert run.forfeit.round == 1
    assert "declares itself oblivious" in run.forfeit.reason
    assert play("zero", Cheat([], oblivious=False), rounds=1).forfeit.reason.startswith("label")  # it may look


def test_the_view_shows_past_and_posterior_read_only():
    class Checker(Adversary):
        def point(self, view):
            t = view.round
            assert np.array_equal(view.points, np.full((t - 1, 1), 0.5))
            assert np.array_equal(view.labels, np.ones(t - 1))
            for array in (view.points, view.labels, view.predictions):
                with pytest.raises(ValueError, match="read-only"):
                    array[:] = 0
            mean, variance = view.posterior(np.array([[0.5]]))  # one point: mean (t-1)/(t-1+lambda)
            assert mean[0] == pytest.approx((t - 1) / (t - 1 + 2.0))
            assert variance[0] == pytest.approx(2.0 / (t - 1 + 2.0))
            assert view.peek(np.array([[0.5], [0.1]])).tolist() == [0, 0]
            with pytest.raises(ArenaError, match="shape"):
                view.peek(np.zeros(1))
            with pytest.raises(ArenaError, match="shape"):
                view.posterior(np.zeros((1, 2)))
            return np.array([0.5])

        def label(self, view, x, prediction):
            return 1.0

    run = play("zero", Checker(), rounds=6, dimension=1, regularisation=2.0)
    assert run.ended == "completed", run.forfeit


def test_an_adversary_may_use_one_array_for_all_points():
    class Reuses(Adversary):
        x = np.zeros(2)

        def point(self, view):
            self.x[:] = view.round / 100
            return self.x

        def label(self, view, x, prediction):
            return 1.0

    for oblivious in (False, True):
        adversary = Reuses()
        adversary.oblivious = oblivious
        run = play("kernel-awv", adversary, rounds=9)
        assert np.array_equal(run.points[:, 0], np.arange(1, 10) / 100)


def test_sizes_are_noted_when_they_change():
    class Grows(Learner):
        def begin(self, game, rng):
            self.seen = 0

        def predict(self, x):
            return 0.0

        def update(self, x, y):
            self.seen += 1

        @property
        def dictionary_size(self):
            return self.seen // 3

    for adversary in ("alternating", OneByOne("alternating")):
        assert play(Grows(), adversary, rounds=7).sizes.tolist() == [[1, 0], [3, 1], [6, 2]]


def test_progress_is_reported():
    heard = []
    play("zero", OneByOne("alternating"), rounds=3, progress=heard.append)
    assert heard == [1, 2, 3]
    play("zero", "alternating", rounds=3, progress=heard.append)
    assert heard[3:] == [3]


@pytest.mark.parametrize("adversary", ["contrarian", "alternating"], ids=["round by round", "in blocks"])
def test_the_learners_time_leaves_out_the_questions_of_the_referee(adversary, monkeypatch):
    clock = [0.0]

    class Ticks(Learner):
        def predict(self, x):
            clock[0] += 1.0
            return 0.0

        def update(self, x, y):
            clock[0] += 0.5

        @property
        def dictionary_size(self):
            clock[0] += 10.0
            return 1

    monkeypatch.setattr("arena.engine.match.time.perf_counter", lambda: clock[0])
    run = play(Ticks(), adversary, rounds=9)
    assert run.seconds.tolist() == [1.5] * 9
