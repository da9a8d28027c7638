"""Numbers near the limits of double precision are refused with the largest allowed value, or played."""

import re
import subprocess
import sys

import numpy as np
import pytest

from arena import ArenaError, Game, play
from arena.game.game import check_kernel_in_box
from arena.specs.building import build

RADIAL = ["gaussian", "laplacian", "matern", "matern(smoothness=2.5)"]


@pytest.mark.parametrize("size", [1e-150, 1e150])
@pytest.mark.parametrize("kernel", RADIAL)
@pytest.mark.parametrize("adversary", ["alternating", "drawn", "greedy(starts=2, polished=0)"])
def test_extreme_bandwidths_are_played_without_a_warning(kernel, size, adversary):
    spec = f"{kernel.removesuffix(')')}{', ' if '(' in kernel else '('}bandwidth={size})"
    run = play("kernel-awv", adversary, rounds=8, kernel=spec)
    assert run.forfeit is None
    assert np.isfinite(run.regret).all()
    assert not any(verdict.violated for verdict in run.verdicts())


@pytest.mark.parametrize("kernel", RADIAL)
def test_values_of_radial_kernels_far_apart_are_zero(kernel):
    built = build("kernel", f"{kernel.removesuffix(')')}{', ' if '(' in kernel else '('}bandwidth=1e-150)")
    X = np.array([[-1e100], [0.0], [1e100]])
    np.testing.assert_array_equal(built.gram(X, X), np.eye(3))


@pytest.mark.parametrize("value", [1e200, 1e-200, 1e-320, 10**400])
@pytest.mark.parametrize("field", ["regularisation", "label_bound", "prediction_bound"])
def test_numbers_whose_squares_are_no_numbers_are_refused(field, value):
    with pytest.raises(ArenaError, match=rf"Game: {field} must be"):
        Game(**{field: value})
    with pytest.raises(ArenaError, match="bandwidth must be"):
        build("kernel", f"gaussian(bandwidth={value})")


@pytest.mark.parametrize("limit", [1e308, -1e200, 10**400])
def test_boxes_beyond_squares_are_refused(limit):
    with pytest.raises(ArenaError, match=r"must lie between -1e\+100 and 1e\+100"):
        Game(box=sorted([0.0, limit]))


@pytest.mark.parametrize("value", [2**63, 10**400, -(10**400)])
def test_counts_beyond_all_counting_are_refused(value):
    with pytest.raises(ArenaError, match=r"must be a whole number up to 9e\+18"):
        build("adversary", f"repeated(points={value})")
    with pytest.raises(ArenaError, match="rounds must be a whole number"):
        Game(rounds=value)


@pytest.mark.parametrize(
    ("kernel", "box"),
    [
        ("linear", 1e100),
        ("polynomial(degree=400)", 9.0),
        ("polynomial(degree=5)", 1e100),
        ("linear(offset=1e150)", 1e80),
    ],
)
def test_a_kernel_that_overflows_in_the_box_is_refused_with_a_box_that_works(kernel, box):
    with pytest.raises(ArenaError, match=r"coordinates up to .* are small enough") as refused:
        play("kernel-awv", "drawn", rounds=8, kernel=kernel, box=(-box, box))
    small = float(re.search(r"up to (\S+) are", str(refused.value))[1])
    check_kernel_in_box(Game(kernel=kernel, box=(-0.99 * small, 0.99 * small)))
    with pytest.raises(ArenaError):
        check_kernel_in_box(Game(kernel=kernel, box=(-1.1 * small, 1.1 * small)))


RIDGE = ["krr", "clipped-krr", "kernel-awv", "pkawv-kors", "pkawv-beforehand", "batch-krr", "late-labels"]


@pytest.mark.parametrize("kernel", ["linear", "gaussian(bandwidth=100)", "polynomial(degree=3)"])
@pytest.mark.parametrize("learner", RIDGE)
def test_a_lambda_below_rounding_is_refused_with_one_that_works(learner, kernel):
    _check_smallest(learner, {"kernel": kernel, "rounds": 250})


@pytest.mark.parametrize("learner", ["pkawv", "pkrr", "dual-sgd", "krr(regularisation=1e-140)"])
@pytest.mark.parametrize("fields", [{}, {"label_bound": 1e20}])
def test_a_lambda_that_is_too_small_for_features_is_refused_too(learner, fields):
    _check_smallest(learner, {"rounds": 60, **fields})


def _check_smallest(learner, fields):
    with pytest.raises(ArenaError, match=r"game: lambda is 1e-140, but .*; the smallest that works is") as refused:
        play(learner, "alternating", regularisation=1e-140, hindsight="none", **fields)
    smallest = float(str(refused.value).rpartition(" ")[2])
    learner = learner.replace("1e-140", f"{smallest!r}")
    for adversary in ("alternating", "drawn", "repeated(points=3)"):
        with np.errstate(all="ignore"):
            run = play(learner, adversary, regularisation=smallest, hindsight="none", **fields)
        assert run.forfeit is None, f"{adversary}, lambda {smallest:g}: {run.forfeit}"


def test_a_small_lambda_stays_allowed_for_learners_that_do_without_it():
    assert play("fgd", "alternating", rounds=10, regularisation=1e-140, hindsight="none").forfeit is None


def test_warnings_of_arithmetic_become_one_note(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n"
        "class Mine:\n"
        "    def predict(self, x): return float(np.array(1e308) * 0 + np.minimum(np.array([1e308]) * 10, 0)[0])\n"
        "    def update(self, x, y): np.log(np.zeros(1))\n"
    )
    words = [sys.executable, "-m", "arena", "play", "./mine.py:Mine", "alternating", "--rounds", "5"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0
    (note,) = done.stderr.splitlines()
    assert "overflow encountered in multiply; divide by zero encountered in log" in note
