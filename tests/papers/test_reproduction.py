"""The papers' experiments on small extracts of data, and the report of differences from the papers' values."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from arena import play
from arena.components.kors import Kors
from arena.data.preparing import Preparation
from arena.data.registry import registered_sets
from arena.game.kernels import Gaussian
from arena.papers.experiments import NAMES, experiment
from arena.papers.reproduction import page, search
from arena.papers.reproduction.after_training import Frozen, Trained
from arena.papers.reproduction.batch_solutions import BatchInDictionary, RidgeThroughFeatures
from arena.papers.reproduction.curves import CurveStore, kept_rounds
from arena.papers.reproduction.experiment import AlgorithmRow, Experiment, Note, Part, Stream
from arena.papers.reproduction.misweighted import Misweighted
from arena.papers.reproduction.published import Published, all_published
from arena.papers.reproduction.running import EXTRACT, How, Measured, extracts, reproduce
from arena.papers.reproduction.stream import PreparedStream
from arena_tests import FULL

QUICK = NAMES if FULL else ("jezequel2019-fig4", "calandriello2017b-table2", "le2022-fig3", "le2022-table1")


@pytest.mark.parametrize("name", QUICK)
def test_every_row_of_an_experiment_can_be_played(name, tmp_path):
    wanted = experiment(name)
    parts = wanted.parts(wanted.chosen)
    if not FULL:  # one part is enough to see that specs, games and measures fit together
        wanted = dataclasses.replace(wanted, parts=lambda _: parts[:1])
    outcome = reproduce(wanted, tmp_path, How(quick=True, workers=0, seeds=1))
    assert [each.row.algorithm for part in outcome.parts for each in part.rows if not each.values] == []
    assert all(np.isfinite(each.values).all() for part in outcome.parts for each in part.rows)


def test_all_names_are_experiments_whose_data_is_registered():
    for name in NAMES:
        wanted = experiment(name)
        assert wanted.name == name
        parts = wanted.parts(wanted.chosen)
        assert parts or wanted.lines()
        assert {part.stream.data for part in parts if part.stream} <= set(registered_sets())
    assert {path.name.removesuffix(".npz") for path in extracts().iterdir()} == set(registered_sets())


def test_every_published_number_whose_data_is_there_has_a_row():
    rows = {
        each.published
        for name in NAMES
        for part in experiment(name).parts(experiment(name).chosen)
        for each in part.rows
    }
    missing = {each for each in all_published() if each not in rows}
    assert {each.dataset for each in missing} <= {"slice", "year", "ijcnn1", "cod-rna"}
    # FOGD, NOGD and DUAL-SGD do not depend on alpha and gamma, so that the table prints them twice
    assert not [each for each in missing if each.dataset in ("ijcnn1", "cod-rna")]


@pytest.fixture
def small():
    """A small experiment: one data set, two learners, and settings that the paper leaves open."""

    def parts(chosen):
        stream = Stream("cadata", Preparation(chosen["features"], "[0,1]"), shuffled=True)
        known = Published("p", "1", "", "cadata", "zero", "average loss", 0.1, 0.001, None, None)
        rows = [
            AlgorithmRow("zero", "zero", known),
            AlgorithmRow("krr", "krr", dataclasses.replace(known, value=0.02, std=None)),
        ]
        return [Part("cadata", rows, "average loss", stream, game={"box": [-1, 1]}, curves=True)]

    return Experiment(
        "small", "A small one", "A paper", "About.", parts, seeds=2,
        open_settings={"features": ("[0,1]", "[-1,1]"), "unused": ("a", "b", "c")},
        notes=(Note("It is known.", algorithm="z*"),),
    )  # fmt: skip


def test_an_experiment_goes_on_where_it_was_interrupted(small, tmp_path):
    how = How(quick=True, workers=0)
    first = reproduce(small, tmp_path, how)
    kept = sorted((tmp_path / "matches" / "verdicts").rglob("*.json"))
    assert len(kept) == 4
    times = [path.stat().st_mtime_ns for path in kept]
    again = reproduce(small, tmp_path, how)
    assert [path.stat().st_mtime_ns for path in kept] == times
    assert again.parts[0].rows[0].values == first.parts[0].rows[0].values
    kept[0].write_text("torn")
    kept[-1].unlink()
    third = reproduce(small, tmp_path, how)
    assert third.parts[0].rows[1].values == first.parts[0].rows[1].values


def test_a_folder_that_was_moved_is_not_played_again(small, tmp_path):
    how = How(quick=True, workers=0)
    first = reproduce(small, tmp_path / "here", how)
    (tmp_path / "here").rename(tmp_path / "it's there")
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "it's there" / "matches").rglob("*.json")}
    again = reproduce(small, tmp_path / "it's there", how)
    assert again.parts[0].rows[1].values == first.parts[0].rows[1].values
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "it's there" / "matches").rglob("*.json")} == kept


def test_the_first_columns_alone_are_played(small, tmp_path):
    def parts(chosen):
        (part,) = small.parts(chosen)
        return [dataclasses.replace(part, stream=dataclasses.replace(part.stream, columns=2))]

    outcome = reproduce(dataclasses.replace(small, parts=parts), tmp_path, How(quick=True, workers=0))
    assert "the first 2 of 8 columns; each of 2 columns to [0,1]" in outcome.parts[0].prepared
    assert (
        outcome.parts[0].rows[1].values
        != reproduce(small, tmp_path, How(quick=True, workers=0)).parts[0].rows[1].values
    )


def test_values_are_those_of_the_prepared_data(small, tmp_path):
    outcome = reproduce(small, tmp_path, How(quick=True, workers=0))
    with np.load(str(extracts().joinpath("cadata.npz"))) as given:
        y = given["y"].astype(float)
    y = (y - y.min()) / np.ptp(y)
    zero, krr = outcome.parts[0].rows
    assert zero.values == pytest.approx([np.mean(y**2)] * 2)
    assert krr.values[0] != krr.values[1]  # another order
    assert krr.curves["rounds"][-1] == EXTRACT
    assert krr.curves["loss"][-1] / EXTRACT == pytest.approx(krr.values[0])
    assert "each of 8 columns to [0,1]; labels from [" in outcome.parts[0].prepared


def test_a_page_has_both_values_their_difference_and_the_notes(small, tmp_path):
    outcome = reproduce(small, tmp_path, How(quick=True, workers=0))
    rows = outcome.parts[0].rows
    far = dataclasses.replace(rows[0], values=(0.104, 0.106))
    near = dataclasses.replace(rows[1], values=(0.0215,))
    shown = dataclasses.replace(outcome, parts=(dataclasses.replace(outcome.parts[0], rows=(far, near)),), quick=False)
    text = page.section(shown)
    assert "| zero | 0.10500 ± 0.00100 (2) | 0.10000 ± 0.00100 | +5.0 sd (+5%) |" in text
    assert "| krr | 0.02150 | 0.02000 | +7.5% |" in text
    assert "1. It is known." in text
    assert "unexplained" not in text
    alone = dataclasses.replace(shown, experiment=dataclasses.replace(small, notes=()))
    assert "**unexplained**" in page.section(alone)
    values = json.loads(json.dumps(page.as_json(shown)))
    assert values["parts"][0]["rows"][0]["notes"] == [1]
    assert values["parts"][0]["rows"][1]["far"] is False
    assert "1 are within three" in page.papers_page([shown], {})


def row(name, published, ours, std=None):
    known = Published("p", "1", "", "cadata", name, "average loss", published, std, None, None)
    return Measured(AlgorithmRow(name, "zero", known), values=(ours,))


def test_the_order_of_a_table_is_compared_with_the_published_one(small, tmp_path):
    outcome = reproduce(small, tmp_path, How(quick=True, workers=0))
    rows = (row("a", 1.0, 5.0), row("b", 2.0, 4.0), row("c", 3.0, 6.0), row("near", 3.1, 1.0, std=0.2))
    part = dataclasses.replace(outcome.parts[0], rows=rows)
    told = dataclasses.replace(small, orders=(Note("It is so.", part="cadata"), Note("Elsewhere.", part="x")))
    shown = dataclasses.replace(outcome, experiment=told, parts=(part,), quick=False)
    assert page.order_in_words(shown, part) == (
        "Order: 2 of 5 pairs of algorithms are in the published order. Published, and not so here: a below b, a below "
        "near, b below near. It is so."
    )
    same = dataclasses.replace(part, rows=(rows[2], row("d", 9.0, 9.0)))
    assert page.order_in_words(shown, same) == "Order: the pair of algorithms is in the published order."
    assert page.order_in_words(outcome, part) == ""


def test_patterns_of_a_note_have_alternatives():
    note = Note("Text.", algorithm="[PF]*|BOGD")
    assert [name for name in ("FOGD", "Perceptron", "BOGD", "BSGD", "NOGD") if note.concerns("any", name)] == [
        "FOGD", "Perceptron", "BOGD",
    ]  # fmt: skip


def test_each_learner_has_its_own_bounds(tmp_path):
    wanted = experiment("jezequel2019-fig3")
    long = wanted.parts(wanted.chosen)[1]
    rows = [row for row in long.rows if row.algorithm in ("FOGD (D=100)", "Kernel-AWV")]
    wanted = dataclasses.replace(wanted, parts=lambda _: [dataclasses.replace(long, rows=rows)], quick_rounds=12)
    outcome = reproduce(wanted, tmp_path, How(quick=True, workers=0, seeds=1))
    fogd, awv = (row["curve"] for row in page.as_json(outcome)["parts"][0]["rows"])
    assert {name for name in fogd if name.startswith("bound")} == {"bound greedy-labels"}
    assert {name for name in awv if name.startswith("bound")} == {"bound greedy-labels", "bound awv-logdet"}
    assert awv["bound greedy-labels"][-1] <= awv["regret"][-1] <= awv["bound awv-logdet"][-1]


def test_matches_that_were_not_played_are_counted(small, tmp_path):
    assert page.seeds_in_words(reproduce(small, tmp_path, How(quick=True, workers=0, seeds=2))) == ""
    more = reproduce(small, tmp_path, How(quick=True, workers=0, seeds=3, collect=True))
    assert page.seeds_in_words(more).startswith("4 of 6 matches have been played")
    assert "4 of 6 matches" in page.section(more)


def test_a_page_names_the_seeds_that_are_planned_for_this_call(small, tmp_path):
    reproduce(small, tmp_path, How(quick=True, workers=0, seeds=1))
    more = reproduce(small, tmp_path, How(quick=True, workers=0, seeds=3, collect=True))
    assert page.seeds_in_words(more).startswith("2 of 6 matches have been played, the others not yet: 3 seeds at most")


def test_a_page_of_extracts_states_the_rounds_that_were_played(small, tmp_path):
    (part,) = small.parts(small.chosen)
    rows = [dataclasses.replace(each, rounds=100_000) for each in part.rows]
    stream = dataclasses.replace(part.stream, training_rows=50_000)
    long = dataclasses.replace(small, parts=lambda _: [dataclasses.replace(part, rows=rows, stream=stream)])
    text = page.section(reproduce(long, tmp_path, How(quick=True, workers=0, seeds=1)))
    assert f"({EXTRACT} rounds)" in text
    assert f"{2 * EXTRACT // 3} rows of training" in text
    assert "000 r" not in text


def test_the_page_in_html_draws_the_curves(small, tmp_path):
    from arena.reports.paper import paper_page

    outcome = reproduce(small, tmp_path, How(quick=True, workers=0))
    text = paper_page(page.as_json(outcome))
    assert text.count("<svg") >= 4
    assert "cadata: seconds" in text
    assert "krr ends at" in text
    lines = paper_page(page.as_json(reproduce(experiment("jezequel2019-fig1"), tmp_path, How(quick=True))))
    assert "gamma = sqrt(2) - 1" in lines


def test_a_search_tries_what_is_nearest_first_and_stops_in_time(small, tmp_path):
    assert [each["unused"] for each in search.combinations(small)][:2] == ["a", "b"]
    found = search.search(small, tmp_path, How(quick=True, workers=0, seeds=1), minutes=1e-9)
    assert (len(found.tried), found.left) == (1, 5)
    assert found.tried[0].chosen == small.chosen
    assert found.tried[0].rows == 2
    everything = search.search(small, tmp_path, How(quick=True, workers=0, seeds=1), minutes=10)
    distances = [each.distance for each in everything.tried]
    assert len(distances) == 6
    assert distances == sorted(distances)
    zero, krr = everything.tried[0].means.values()
    assert everything.tried[0].distance == pytest.approx((abs(np.log(zero / 0.1)) + abs(np.log(krr / 0.02))) / 2)
    again = search.from_json(json.loads(json.dumps(dataclasses.asdict(everything))))
    assert search.section(small, again) == search.section(small, everything)


def test_a_search_plays_only_rows_that_have_a_published_value_of_their_own(small):
    (part,) = small.parts(small.chosen)
    zero, krr = part.rows
    again = AlgorithmRow("zero again", "zero", zero.published)
    unknown = AlgorithmRow("not in the paper", "krr")
    more = [dataclasses.replace(part, rows=[zero, again, krr, unknown]), dataclasses.replace(part, rows=[unknown])]
    (compared,) = search.compared(dataclasses.replace(small, parts=lambda _: more)).parts(small.chosen)
    assert compared.rows == [zero, krr]


def test_checkpoints_have_the_first_the_last_and_the_wanted_rounds():
    at = kept_rounds(1000, also=[333, 5000])
    assert at[0] == 1
    assert at[-1] == 1000
    assert 333 in at
    assert 5000 not in at
    assert len(at) <= 102


def test_a_damaged_summary_is_set_aside(tmp_path):
    store = CurveStore(tmp_path)
    (tmp_path / "verdicts" / "ab").mkdir(parents=True)
    path = tmp_path / "verdicts" / "ab" / f"{'ab' * 32}.json"
    path.write_text('{"arena": "summary", "digest": "x')
    assert store.read("ab" * 32) is None
    assert not path.exists()
    assert len(store.damaged) == 1


def table(tmp_path, rows=60):
    """Write a table with one column and its sign as the label; return the path."""
    x = np.linspace(-1.0, 1.0, rows)
    np.save(tmp_path / "table.npy", np.column_stack([x, np.sign(x)]))
    return (tmp_path / "table.npy").as_posix()


def test_a_prepared_stream_keeps_the_test_part_apart(tmp_path):
    file = table(tmp_path)
    x = np.linspace(-1.0, 1.0, 60)
    given = play("zero", PreparedStream(file=file), rounds=60)
    assert np.array_equal(given.points[:, 0], x)
    split = play("zero", PreparedStream(file=file, training_rows=40), rounds=60).points[:, 0]
    assert np.array_equal(np.sort(split[:40]), x[:40])
    assert not np.array_equal(split[:40], x[:40])
    assert np.array_equal(split[40:], x[40:])
    mixed = play("zero", PreparedStream(file=file, shuffled=True), rounds=60, seed=3).points[:, 0]
    assert np.array_equal(np.sort(mixed), x)
    assert play("zero", PreparedStream(file=file), rounds=99).ended == "exhausted"


@pytest.mark.parametrize("in_blocks", [True, False])
def test_a_frozen_learner_learns_nothing_after_its_training(tmp_path, in_blocks):
    stream = PreparedStream(file=table(tmp_path), training_rows=40)
    whole = play("krr", stream, rounds=60)
    frozen = play(Frozen(of="krr", after=40), stream, rounds=60)
    X, y = whole.points, whole.labels
    from arena.specs.building import build

    learner = build("learner", "krr")
    learner.begin(whole.game, np.random.default_rng(0))
    if in_blocks:
        learner.replay(X[:40], y[:40])
    else:
        for x, label in zip(X[:40], y[:40], strict=True):
            learner.update(x, label)
    np.testing.assert_allclose(frozen.predictions[40:], learner.peek(X[40:]), atol=1e-10)
    np.testing.assert_allclose(frozen.predictions[:40], whole.predictions[:40], atol=1e-10)


def test_a_trained_learner_sees_the_training_part_alone(tmp_path):
    run = play(Trained(of="batch-krr", after=40), PreparedStream(file=table(tmp_path)), rounds=60)
    assert run.rounds == 60
    assert np.all(run.predictions[40:] > 0)


def test_batch_in_the_dictionary_is_the_best_in_the_span():
    run = play(BatchInDictionary(gamma=1e-6), "repeated(points=5)", rounds=80)
    best = play("krr", "repeated(points=5)", rounds=80).hindsight()
    assert np.square(run.predictions - run.labels).sum() == pytest.approx(best.plain_losses.sum(), rel=1e-6)
    pytest.importorskip("sklearn")
    signs = play(BatchInDictionary(gamma=1e-6, alpha=1e-3), "repeated(points=5)", rounds=80, loss="hinge")
    assert signs.error_rate == 0.0


def test_exact_ridge_regression_is_ridge_regression():
    run = play(RidgeThroughFeatures(), "drawn", rounds=400)
    np.testing.assert_allclose(run.predictions, play("krr", "drawn", rounds=400).predictions, atol=1e-6)
    assert "within" in run.header["learner_remark"]


def test_weights_of_the_published_code_let_the_dictionary_starve():
    X, coins = np.zeros((2000, 1)), np.random.default_rng(0).random(2000)
    right, wrong, one = (Kors(Gaussian(), 1, ridge=1.0, beta=1.0, epsilon=0.5, power=power) for power in (1, 2, 2))
    right.sample(X, coins)
    wrong.sample(X, coins)
    assert len(wrong) < 0.6 * len(right)
    # by hand: after one atom accepted at p = 0.75 the leverage is 1.5 / (1 / p^2 + 1 + 1)
    one.sample(X[:1], np.zeros(1))
    assert one.probability(X[0]) == pytest.approx(1.5 / (0.75**-2 + 2))


def test_a_misweighted_learner_differs_in_its_dictionary_alone():
    run = play(Misweighted(of="pros-n-kons"), "drawn", rounds=600, seed=1)
    assert run.sizes[-1, 1] < play("pros-n-kons", "drawn", rounds=600, seed=1).sizes[-1, 1]


def test_a_part_without_its_data_is_reported_and_the_others_are_played(small, tmp_path):
    outcome = reproduce(small, tmp_path / "out", How(data=tmp_path, workers=0))
    assert "fetch('cadata'" in outcome.parts[0].rows[0].reason
    empty = Measured(AlgorithmRow("zero", "zero"))
    assert not empty.is_far
