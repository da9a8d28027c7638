"""Rounds at which an expensive curve is computed, and the curve that is constant between them."""

from arena.hindsight.checkpoints import checkpoints, step_curve


def test_checkpoints():
    assert checkpoints(1) == [1]
    assert step_curve(5, [1, 3, 5], [1.0, 2.0, 3.0]).tolist() == [1, 1, 2, 2, 3]
    assert step_curve(5, [1, 3, 5], [1.0, 2.0, 3.0], backwards=True).tolist() == [1, 2, 2, 3, 3]
