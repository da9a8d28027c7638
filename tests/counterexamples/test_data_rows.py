"""A failure on a data file is shrunk to rows of the file, which are shown as the file has them."""

import numpy as np
import pytest

import arena
from arena.counterexamples.case import moves_of
from arena.counterexamples.data_rows import rows_in_words, table_of
from arena.counterexamples.failures import Failures
from arena.counterexamples.reproduction import reproduction
from arena.counterexamples.shrinking import shrink
from arena.testing import RegretTooLarge, assert_regret

RNG = np.random.default_rng(3)
ROWS = [f"2025-01-{row + 1},{RNG.uniform(0, 30):.1f},{'Bern' if row % 3 else 'Genf'},{RNG.uniform(40, 70):.2f}"
        for row in range(40)]  # fmt: skip
PLAYED = "drop=[day], categories=one-hot"


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["# of the shop", "day,temp,town,price", *ROWS[:20], "", *ROWS[20:]]
    (tmp_path / "d.csv").write_text("\n".join(lines) + "\n")
    return lines


@pytest.mark.parametrize(
    "adversary", [f"replay(file=d.csv, {PLAYED})", f"replay(file=d.csv, shuffle=true, {PLAYED}, rows=[5, 35])",
                  f"from-data(file=d.csv, {PLAYED})"],
)  # fmt: skip
def test_the_smallest_sequence_has_rows_of_the_file(adversary, table):
    worst = arena.play("krr", adversary, rounds=30, seed=2)
    shrunk = shrink("krr", worst, "at-most(regret=1.5)")
    assert 1 < shrunk.rounds < 15
    assert {row.tobytes() for row in shrunk.points + 0.0} <= {row.tobytes() for row in worst.points + 0.0}
    assert set(shrunk.labels) <= set(worst.labels)
    head, *shown = rows_in_words(worst, shrunk.points, shrunk.labels)
    assert head == "these are rows of d.csv:"
    assert len(shown) == len(set(shown)) == shrunk.rounds
    labels = []
    for line in shown:
        number, _, text = line.strip().removeprefix("line ").partition(": ")
        assert table[int(number) - 1] == text
        labels.append(float(text.rpartition(",")[2]))
    assert np.corrcoef(labels, shrunk.labels)[0, 1] > 0.999999
    failure = Failures().add(shrunk)
    assert all(f"#   {line.strip()}" in reproduction(Failures().shrunk(failure)) for line in shown)


class StopsEarlierInShortGames:
    """Raises an exception in round 5, or in round 2 of a short game."""

    def begin(self, game, rng):
        self.left = 5 if game.rounds > 10 else 2

    def predict(self, x):
        self.left -= 1
        return 0.0 if self.left else 1 / 0

    def update(self, x, y):
        pass


@pytest.mark.usefixtures("table")
def test_rows_are_never_rounded_even_if_the_time_is_gone_at_once(monkeypatch):
    monkeypatch.setattr("arena.counterexamples.trials.FOR_ROUNDING", 1.0)
    worst = arena.play(StopsEarlierInShortGames, f"replay(file=d.csv, {PLAYED})", rounds=30)
    shrunk = shrink(StopsEarlierInShortGames, worst)
    assert not shrunk.finished
    assert {row.tobytes() for row in shrunk.points + 0.0} <= {row.tobytes() for row in moves_of(worst)[0] + 0.0}


@pytest.mark.usefixtures("table")
def test_the_message_of_a_test_shows_the_lines():
    with pytest.raises(RegretTooLarge, match=r"these are rows of d.csv:\n +line \d+: 2025-01-\d+,[\d.]+,\w+,[\d.]+\n"):
        assert_regret("krr", f"replay(file=d.csv, {PLAYED})", rounds=30, at_most=1.5)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("rows", ["", ", rows=[1, 3]"])
def test_after_rows_with_gaps_are_left_out_the_others_keep_their_lines(tmp_path, rows):
    (tmp_path / "gaps.csv").write_text("a,y\n1,2\n,3\n4,-1\n5,0\n")
    for how in ("drop", "mean"):
        run = arena.play("krr", f"replay(file=gaps.csv, missing={how}{rows})", rounds=4)
        lines = {"drop": ["line 2: 1,2", "line 4: 4,-1", "line 5: 5,0"]}.get(how)
        lines = lines or ["line 2: 1,2", "line 3: ,3", "line 4: 4,-1", "line 5: 5,0"]
        expected = [f"  {line}" for line in (lines[1:3] if rows else lines)]
        assert rows_in_words(run, run.points, run.labels)[1:] == expected


@pytest.mark.usefixtures("table")
def test_rows_of_other_formats_show_values():
    np.savez("d.npz", X=[[1.0], [4.0]], y=[2.0, -1.0])
    packed = arena.play("krr", "replay(file=d.npz)", rounds=2)
    assert rows_in_words(packed, packed.points, packed.labels)[1:] == [
        "  row 1: x0=1, label 2",
        "  row 2: x0=4, label -1",
    ]


@pytest.mark.usefixtures("table")
def test_a_changed_or_lost_file_and_other_adversaries_have_no_rows(tmp_path):
    run = arena.play("krr", f"replay(file=d.csv, {PLAYED})", rounds=5)
    assert table_of(run) is not None
    (tmp_path / "d.csv").write_text("day,temp,town,price\nx,1,Bern,2\ny,2,Genf,3\n")
    assert table_of(run) is None
    (tmp_path / "d.csv").unlink()
    assert table_of(run) is None
    assert table_of(arena.play("krr", "greedy", rounds=5)) is None
