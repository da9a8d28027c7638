"""The adversary `replay`: data unchanged or scaled, in order or shuffled, played once or repeatedly."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pandas
import pytest
from scipy.sparse import csr_matrix

import arena
from arena import ArenaError, Game
from arena.adversaries.replay import Replay
from arena.data import mapped as mapped_module
from arena.record.commands import play_command
from arena.specs.building import build
from arena.specs.spelling import spec_text
from arena.testing import OneByOne

RNG = np.random.default_rng(11)
X = RNG.uniform(-1, 1, size=(30, 4))
Y = RNG.uniform(-1, 1, size=30)
WIDE = X * [10.0, 0.1, 1.0, 300.0] + [3.0, 0.0, 0.0, 1e4]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=WIDE, y=50 * Y)
    return path


def moves(adversary, **fields):
    run = arena.play("zero", adversary, **{"rounds": 30, "hindsight": "none", **fields})
    assert run.forfeit is None
    return run.points, run.labels


def holed(array, at, value):
    """Return a copy of the array with `value` at the index `at`."""
    copied = array.copy()
    copied[at] = value
    return copied


class Watched(OneByOne):
    """`OneByOne` as an adversary that may look at predictions."""

    def label(self, view, x, prediction):
        assert np.isfinite(prediction)
        return super().label(view, x, prediction)


def test_data_that_fits_is_played_unscaled():
    run = arena.play("krr", Replay(X=X, y=Y), rounds=30)
    np.testing.assert_array_equal(run.points, X)
    np.testing.assert_array_equal(run.labels, Y)
    assert (run.game.dimension, run.ended) == (4, "completed")


def test_the_file_brings_its_dimension_and_the_command_repeats_the_match(file):
    run = arena.play("zero", f"replay(file={file}, shuffle=true)", rounds=30, seed=3)
    assert run.game.dimension == 4
    assert run.adversary == f"replay(file={file}, shuffle=true)"
    assert (
        play_command(run) == f"arena play zero 'replay(file={file}, shuffle=true)' --rounds 30 --dimension 4 --seed 3"
    )
    again = arena.play(run.learner, run.adversary, game=run.game, seed=3)
    np.testing.assert_array_equal(run.points, again.points)


def test_every_parameter_is_written_into_the_spec(file):
    text = f"replay(file={file}, label_column=y, rows=[5, 20], scale_x=none, scale_y=bound, shuffle=true, loop=true)"
    adversary = build("adversary", text)
    assert spec_text(adversary) == text
    assert spec_text(Replay(file=str(file), scale_x="none")) == f"replay(file={file}, scale_x=none)"


@pytest.mark.parametrize(("given_x", "given_y"), [(X, Y), (X.tolist(), Y.tolist()), (X.astype(np.float32), Y)])
def test_arrays_are_not_written_into_a_spec(given_x, given_y):
    run = arena.play("zero", Replay(X=given_x, y=given_y), rounds=5)
    assert run.adversary == "<arena.adversaries.replay:Replay>"
    assert play_command(run) is None
    np.testing.assert_array_equal(run.points, np.array(given_x, dtype=float)[:5])


def test_a_sparse_matrix_is_filled_out():
    matrix = np.where(X > 0.5, X, 0.0)
    np.testing.assert_array_equal(moves(Replay(X=csr_matrix(matrix), y=Y))[0], matrix)


def test_the_users_arrays_are_not_changed():
    mine = X.copy()
    adversary = Replay(X=mine, y=Y)
    assert mine.flags.writeable
    mine[:] = 0.0
    np.testing.assert_array_equal(moves(adversary)[0], X)


@pytest.mark.parametrize("scale", ["auto", "box"])
def test_box_scaling_is_affine_by_column(scale):
    box = [[-1, 1], [0, 2], [-3, -2], [5, 9]]
    points, _ = moves(Replay(X=WIDE, y=Y, scale_x=scale), dimension=4, box=box)
    for j, (low, high) in enumerate(box):
        smallest, largest = WIDE[:, j].min(), WIDE[:, j].max()
        expected = low + (WIDE[:, j] - smallest) / (largest - smallest) * (high - low)
        np.testing.assert_allclose(points[:, j], expected, rtol=0, atol=1e-12)
        assert (points[:, j].min(), points[:, j].max()) == (low, high)


def test_standardised_points_have_three_deviations_to_the_side():
    wild = holed(WIDE, (7, 2), 1000.0)
    scores = (wild - wild.mean(axis=0)) / wild.std(axis=0)
    points, _ = moves(Replay(X=wild, y=Y, scale_x="standardise"), box=[-3, 3])
    np.testing.assert_allclose(points, np.clip(scores, -3, 3), rtol=0, atol=1e-12)
    assert points[7, 2] == 3.0 < scores[7, 2]
    elsewhere, _ = moves(Replay(X=wild, y=Y, scale_x="standardise"), box=[1, 2])
    np.testing.assert_allclose(elsewhere, 1.5 + np.clip(scores, -3, 3) / 6, rtol=0, atol=1e-12)


@pytest.mark.parametrize("scale", ["auto", "bound"])
def test_bound_scaling_is_affine(scale):
    _, labels = moves(Replay(X=X, y=20 + 7 * Y, scale_y=scale), label_bound=2.5)
    expected = -2.5 + 5 * (Y - Y.min()) / (Y.max() - Y.min())
    np.testing.assert_allclose(labels, expected, rtol=0, atol=1e-12)
    assert (labels.min(), labels.max()) == (-2.5, 2.5)


def test_auto_scales_all_columns_or_none():
    """If one column does not fit into the box, all columns are scaled, but labels that fit are not."""
    one_out = X * [0.5, 0.5, 0.5, 2.0]
    points, labels = moves(Replay(X=one_out, y=Y))
    np.testing.assert_array_equal([points.min(axis=0), points.max(axis=0)], [[-1] * 4, [1] * 4])
    np.testing.assert_array_equal(labels, Y)
    edges = X / np.abs(X).max()
    np.testing.assert_array_equal(moves(Replay(X=edges, y=Y / np.abs(Y).max()))[0], edges)


def test_constant_columns_go_to_the_middle():
    flat = WIDE.copy()
    flat[:, 1], flat[:, 3] = 7.0, 0.1
    for scale in ("auto", "box", "standardise"):
        points, _ = moves(Replay(X=flat, y=Y, scale_x=scale), box=[0, 3])
        np.testing.assert_array_equal(points[:, [1, 3]], 1.5)
        assert np.ptp(points[:, 0]) > 1


@pytest.mark.parametrize("value", [4.0, -4.0, 1e-3, 0.0, 1.7e308, 1e-320])
@pytest.mark.parametrize("bound", [1.0, 0.5, 100.0])
@pytest.mark.parametrize("scale", ["auto", "bound"])
def test_constant_labels_are_divided_and_zero_stays_zero(value, bound, scale):
    run = arena.play("zero", Replay(X=X, y=np.full(30, value), scale_y=scale), rounds=30, label_bound=bound)
    remark = run.header.get("remark", "")
    if value == 0 or (scale == "auto" and abs(value) <= bound):
        assert (set(run.labels), remark) == ({value}, "")
        return
    assert set(run.labels) == {np.copysign(bound, value)}
    assert remark == f"the labels, all {value:g}, were divided by {abs(value) / bound:g}"
    assert run.header.get("label_unit", 1.0) == abs(value) / bound


def test_extreme_values_do_not_overflow():
    huge = np.array([[-1.7e308, 1e-320], [1.7e308, 2e-320], [0.0, 1.5e-320]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for scale in ("box", "standardise"):
            points, _ = moves(Replay(X=huge, y=huge[:, 0], scale_x=scale), rounds=3)
            assert np.isfinite(points).all()
    np.testing.assert_allclose(moves(Replay(X=huge, y=huge[:, 0]), rounds=3)[0][:, 0], [-1, 1, 0])


def test_shuffling_permutes_rows_with_their_labels_and_depends_on_the_seed_alone():
    shuffled = Replay(X=X, y=Y, shuffle=True)
    points, labels = moves(shuffled, seed=5)
    order = np.array([int(np.flatnonzero((point == X).all(axis=1))[0]) for point in points])
    np.testing.assert_array_equal(np.sort(order), np.arange(30))
    assert (order != np.arange(30)).any()
    np.testing.assert_array_equal(labels, Y[order])
    np.testing.assert_array_equal(moves(Replay(X=X, y=Y, shuffle=True), seed=5)[0], points)
    np.testing.assert_array_equal(moves(shuffled, seed=5)[0], points)
    assert (moves(shuffled, seed=6)[0] != points).any()


def test_the_match_ends_with_the_rows():
    run = arena.play("krr", Replay(X=X, y=Y), rounds=50)
    assert (run.rounds, run.ended, run.forfeit) == (30, "exhausted", None)
    watched = arena.play("krr", Watched(Replay(X=X, y=Y)), rounds=50)
    assert (watched.rounds, watched.ended) == (30, "exhausted")


def test_a_loop_starts_again_in_the_same_order():
    run = arena.play("zero", Replay(X=X, y=Y, loop=True, shuffle=True), rounds=9000, hindsight="none")
    assert (run.rounds, run.ended) == (9000, "completed")
    np.testing.assert_array_equal(run.points, np.tile(run.points[:30], (300, 1)))
    np.testing.assert_array_equal(run.labels, np.tile(run.labels[:30], 300))


@pytest.mark.parametrize("options", [{}, {"shuffle": True}, {"loop": True, "shuffle": True}, {"rows": [3, 25]}])
def test_blocks_and_single_rounds_are_the_same_match(options):
    adversary = Replay(X=WIDE, y=50 * Y, **options)
    together = arena.play("krr", adversary, rounds=70, seed=2)
    apart = arena.play("krr", Watched(adversary), rounds=70, seed=2)
    assert together.rounds == apart.rounds == (70 if options.get("loop") else 22 if "rows" in options else 30)
    np.testing.assert_allclose(together.points, apart.points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(together.labels, apart.labels, rtol=0, atol=1e-12)
    np.testing.assert_allclose(together.predictions, apart.predictions, rtol=0, atol=1e-8)


def test_rows_choose_a_part_which_is_scaled_by_itself():
    points, labels = moves(Replay(X=WIDE, y=Y, rows=[10, 20]), rounds=10)
    np.testing.assert_array_equal(labels, Y[10:20])
    part = WIDE[10:20]
    expected = 2 * (part - part.min(axis=0)) / np.ptp(part, axis=0) - 1
    np.testing.assert_allclose(points, expected, rtol=0, atol=1e-12)
    for wrong in ([10], [20, 10], [-5, 10], [0, 31], [4, 4], [0, 1, 2], []):
        with pytest.raises(ArenaError, match=r"rows must be \[start, stop\] with 0 <= start < stop <= 30, the number"):
            arena.play("zero", Replay(X=WIDE, y=Y, rows=wrong))


def test_unscaled_data_that_does_not_fit_is_a_mistake_and_no_forfeit(file):
    with pytest.raises(ArenaError, match=rf"in row 1 of .*data\.npz, column 1 is {WIDE[0, 0]:g}, outside .* \[-1, 1\]"):
        arena.play("zero", f"replay(file={file}, scale_x=none)")
    outside = holed(X, (12, 3), 1.25)
    with pytest.raises(ArenaError, match=r"in row 13 of X and y, column 4 is 1.25, .*: give the game a larger box, or"):
        arena.play("zero", Replay(X=outside, y=Y, scale_x="none"))
    with pytest.raises(ArenaError, match=r"in row 13 of X and y, column 4 is 1\.25"):
        arena.play("zero", Replay(X=outside, y=Y, scale_x="none", rows=[10, 20]))
    beyond = holed(Y, 8, -1.5)
    with pytest.raises(ArenaError, match=r"in row 9 of X and y, the label -1\.5 is beyond the label bound 1: give"):
        arena.play("zero", Replay(X=X, y=beyond, scale_y="none"))
    large = Game(dimension=4, rounds=30, box=[-2, 2], label_bound=1.5)
    run = arena.play("zero", Replay(X=outside, y=beyond, scale_x="none", scale_y="none"), game=large)
    np.testing.assert_array_equal(run.points, outside)
    np.testing.assert_array_equal(run.labels, beyond)


def test_the_name_of_an_offending_column_is_given(tmp_path):
    (tmp_path / "named.csv").write_text("rooms,age,price\n0.5,0.5,1\n0.5,40,1\n")
    with pytest.raises(ArenaError, match=r"in row 2 of .*named\.csv, column 2 \('age'\) is 40, outside the box's"):
        arena.play("zero", f"replay(file={tmp_path / 'named.csv'}, scale_x=none)")


def test_a_row_is_named_as_in_the_data_also_after_others_were_left_out(tmp_path):
    (tmp_path / "gaps.csv").write_text("a,b,y\n,1,1\n0.5,0.5,1\n0.5,,1\n0.5,40,1\n")
    for rows in ("", ", rows=[1, 2]"):
        with pytest.raises(ArenaError, match=r"in line 5 of .*gaps\.csv, column 2 \('b'\) is 40, outside the box's"):
            arena.play("zero", f"replay(file={tmp_path / 'gaps.csv'}, scale_x=none, missing=drop{rows})")
    frame = pandas.DataFrame({"a": [np.nan, 0.5, 40.0]})
    with pytest.raises(ArenaError, match=r"in row 3 of X and y, .* is 40"):
        arena.play("zero", Replay(X=frame, y=[1.0, 1.0, 1.0], scale_x="none", missing="drop"))


def test_the_users_own_fields_come_after_the_datas(file):
    with pytest.raises(ArenaError, match=r"has 4 columns but the game has dimension 2: leave `dimension=...` out"):
        arena.play("zero", f"replay(file={file})", dimension=2)
    run = arena.play("zero", f"replay(file={file})", dimension=4, box=[[0, 1]] * 3 + [[5, 6]], rounds=30)
    assert (run.points.min(axis=0) == [0, 0, 0, 5]).all()
    kept = arena.play("zero", f"replay(file={file})", game=Game(dimension=4, box=[[0, 1]] * 3 + [[5, 6]]), rounds=30)
    np.testing.assert_array_equal(kept.points, run.points)


def test_the_label_column_is_passed_on(tmp_path):
    (tmp_path / "first.csv").write_text("price,rooms\n" + "".join(f"{i / 9},{-i / 9}\n" for i in range(10)))
    for label in ("price", 0, -2):
        run = arena.play("zero", f"replay(file={tmp_path / 'first.csv'}, label_column={label})", rounds=10)
        np.testing.assert_array_equal(run.labels, np.arange(10) / 9)
    with pytest.raises(ArenaError, match=r"no column 'prize'\. Did you mean 'price'"):
        arena.play("zero", f"replay(file={tmp_path / 'first.csv'}, label_column=prize)")


def test_a_file_is_read_once(file, monkeypatch):
    reads = []
    original = mapped_module.open_data
    monkeypatch.setattr(mapped_module, "open_data", lambda *a, **k: reads.append(a) or original(*a, **k))
    adversary = Replay(file=str(file))
    assert not reads
    points, _ = moves(adversary)
    for other in (adversary, copy.deepcopy(adversary), pickle.loads(pickle.dumps(adversary))):
        np.testing.assert_array_equal(moves(other)[0], points)
    assert len(reads) == 1


def test_a_missing_file_is_a_mistake_that_names_its_neighbours(file):
    with pytest.raises(ArenaError, match=r"there is no file .*dada\.npz\. Did you mean 'data\.npz'\?"):
        arena.play("zero", f"replay(file={file.with_name('dada.npz')})")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, r"replay needs data: either replay\(file=data\.csv\), or Replay\(X=\.\.\., y=\.\.\.\) from Python"),
        ({"file": "a.csv", "X": X, "y": Y}, "replay needs data: either"),
        ({"X": X}, "y is missing: give X and y together"),
        ({"y": Y}, "X is missing: give X and y together"),
        ({"X": X, "y": Y[1:]}, "X has 30 rows, but y has 29 labels"),
        ({"X": Y, "y": Y}, r"X must have shape \(rows, columns\) and not be empty, but its shape is \(30,\)"),
        ({"X": X, "y": X}, r"y must have shape \(rows,\) and not be empty, but its shape is \(30, 4\)"),
        ({"X": X[:0], "y": Y[:0]}, r"X must have shape \(rows, columns\) and not be empty, but its shape is \(0, 4\)"),
        ({"X": [[1.0, 2.0], [3.0]], "y": [0, 1]}, "X must hold numbers, in rows of equal length"),
        ({"X": [["red", "blue"]], "y": [0]}, "X must hold numbers, in rows of equal length"),
        (
            {"X": holed(X, (4, 2), np.nan), "y": Y},
            "X is nan in row 5, column 3: fill the value in or leave",
        ),
        (
            {"X": X, "y": holed(Y, 6, np.inf)},
            "y is inf in row 7: fill the value in or leave the row out",
        ),
        ({"X": X, "y": Y, "scale_x": "boxx"}, "scale_x must be one of auto, box, standardise,? or none"),
        ({"X": X, "y": Y, "shuffle": 1}, "shuffle must be true or false"),
    ],
)
def test_wrong_arguments_are_refused_before_the_match(given, message):
    with pytest.raises(ArenaError, match=message):
        Replay(**given)
