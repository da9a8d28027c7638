"""The name of a player in a transcript: its spec, or a spec made of its fields."""

import copy
import sys

import numpy as np
import pytest

import arena
from arena import ArenaError, Transcript, play
from arena.record.commands import play_command
from arena.specs.addresses import address_of
from arena.testing import assert_regret, transcript


class Plain:
    def __init__(self, rate=0.5):
        self.rate = rate
        self.labels = []

    def predict(self, x):
        return self.rate * (self.labels[-1] if self.labels else 0.0)

    def update(self, x, y):
        self.labels.append(y)


class Twice(Plain):
    def __init__(self, rate=0.5):
        super().__init__(2 * rate)


FILE = """
class Twice:
    def __init__(self, rate=1.0): self.rate = 2 * rate
    def predict(self, x): return min(self.rate, 1.0) / 2
    def update(self, x, y): pass

class Anything:
    def __init__(self, **options): self._rate = options.get("rate", 0.0)
    def predict(self, x): return self._rate
    def update(self, x, y): pass
"""


@pytest.mark.parametrize("spec", ["Twice(rate=0.25)", "Anything(rate=0.125)", "Anything"])
def test_a_spec_that_was_given_is_kept(tmp_path, monkeypatch, spec):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    run = play(f"./mine.py:{spec}", "alternating", rounds=5)
    assert run.learner == f"./mine.py:{spec}"
    again = play(run.learner, run.adversary, rounds=5)
    np.testing.assert_array_equal(run.predictions, again.predictions)


def test_an_object_is_named_only_if_its_name_builds_its_equal():
    assert play(Plain(0.25), "alternating", rounds=3).learner.endswith(":Plain(rate=0.25)")
    assert play(Twice(), "alternating", rounds=3).learner == f"<{address_of(Twice)}>"
    used = Plain()
    used.update(np.zeros(2), 1.0)
    run = play(used, "alternating", rounds=3)
    assert run.learner == f"<{address_of(Plain)}>"
    assert play_command(run) is None


def test_an_object_without_begin_plays_as_a_copy():
    learner = Plain()
    runs = [play(learner, "alternating", rounds=5) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].predictions, runs[1].predictions)
    assert learner.labels == []


def test_an_object_that_cannot_be_copied_plays_itself():
    class Locked(Plain):
        def __deepcopy__(self, memo):
            raise TypeError("no copies")

    learner = Locked()
    play(learner, "alternating", rounds=5)
    assert len(learner.labels) == 5


@pytest.mark.parametrize("adversary", ["alternating", "greedy(starts=4, polished=0)"])
def test_a_prediction_that_changes_the_learner_is_a_foul(adversary):
    class Counts(Plain):
        def __init__(self):
            self.asked = 0

        def predict(self, x):
            self.asked += 1
            return 1.0 / self.asked

        def update(self, x, y):
            pass

    run = play(Counts(), adversary, rounds=9)
    assert run.forfeit is not None
    assert run.forfeit.side == "learner"
    assert "asked twice at one point" in run.forfeit.reason


def test_own_methods_of_a_users_player_are_used():
    class Whole(Plain):
        def replay(self, X, y):
            return np.full(len(X), 0.25)

        foresight = True

    assert (play(Whole(), "alternating", rounds=5).predictions == 0.25).all()
    with pytest.raises(ArenaError, match="must know the whole sequence"):
        play(Whole(), "greedy", rounds=5)

    class Blocks:
        oblivious = True

        def arrange(self, game):
            return game.replace(dimension=3)

        def point(self, view):
            raise AssertionError("blocks are quicker")

        label = point

        def block(self, view, rounds):
            return np.zeros((rounds, 3)), np.ones(rounds)

    assert play("zero", Blocks(), rounds=5).points.shape == (5, 3)


def test_an_adversary_may_move_in_blocks_alone():
    class Ones(arena.Adversary):
        oblivious = True

        def block(self, view, rounds):
            return np.zeros((rounds, view.game.dimension)), np.ones(rounds)

    class Watched(Ones):
        oblivious = False

    assert (play("krr", Ones(), rounds=5).labels == 1).all()
    np.testing.assert_allclose(  # blocks are rounded in another way
        play("krr", Ones(), rounds=5).predictions, play("krr", Watched(), rounds=5).predictions, rtol=1e-9, atol=1e-12
    )


def test_hindsight_that_was_switched_off_is_part_of_the_command():
    assert play_command(play("zero", "alternating", hindsight="none")) == "arena play zero alternating --hindsight none"
    assert play_command(play("zero", "alternating", hindsight="exact")) == "arena play zero alternating"


def test_a_copy_with_other_labels_computes_its_own_regret():
    import dataclasses

    run = play("krr", "repeated(points=3)", rounds=20)
    before = run.regret[-1]
    other = dataclasses.replace(run, labels=0.5 * run.labels)
    fresh = transcript(run.points, other.labels, run.predictions)
    assert other.regret[-1] == pytest.approx(fresh.regret[-1])
    assert other.regret[-1] != pytest.approx(before)


def test_a_file_runs_no_code_unless_it_is_trusted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from arena.game.kernels import Linear\nclass Mine(Linear):\n    name = ''\n"
        "from arena.theorems.awv import AwvLogdet\nclass Own(AwvLogdet):\n    name = ''\n"
    )
    run = play("zero", "alternating", rounds=3, kernel="./mine.py:Mine")
    path = run.save("kernel.npz")
    with pytest.raises(ArenaError, match="names code outside the arena, which is not run"):
        Transcript.load(path)
    assert type(Transcript.load(path, trust=True).game.kernel).__name__ == "Mine"

    class Promises(Plain):
        theorems = ("./mine.py:Own",)

    path = play(Promises(), "alternating", rounds=3).save("theorem.npz")
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    with pytest.raises(ArenaError, match="names code outside the arena"):
        Transcript.load(path).verdicts()
    assert len(Transcript.load(path, trust=True).verdicts()) == 1


def test_a_named_theorem_must_apply_to_the_match():
    loud = copy.copy(Plain(rate=3.0))
    with pytest.raises(ArenaError, match="nothing was checked: clipped-krr: not applicable"):
        assert_regret(loud, "alternating", theorem="clipped-krr", at_most=1e9, rounds=5)
    with pytest.raises(ArenaError, match="at_most must be a finite number"):
        assert_regret(loud, "alternating", at_most="3", rounds=5)


def test_mistakes_of_a_theorem_are_reported():
    class Scalar(arena.Theorem):
        name = "scalar"

        def allowed(self, run):
            return 3.0

    class Loose(Scalar):
        def assumptions(self, run):
            return [True]

    run = play("zero", "alternating", rounds=5)
    with pytest.raises(ArenaError, match=r"Scalar.allowed\(run\) must give one value for each of the 5 rounds"):
        run.verdict(Scalar())
    with pytest.raises(ArenaError, match=r"Loose.assumptions\(run\) must give Assumption"):
        run.verdict(Loose())
    other = play("zero", "alternating", rounds=5, loss="hinge").verdict(Scalar)
    assert other.outcome == "not applicable"
    assert "the loss is hinge" in other.reason
