"""`arena compare`: exit codes, JSON, and the printed text."""

import json
import shutil

import pytest

from arena.record.storage import read_judgement, with_judgement

MEAN = """
class Mean:
    def __init__(self): self.sum, self.count = 0.0, 1
    def predict(self, x): return {offset} + self.sum / self.count
    def update(self, x, y): self.sum += y; self.count += 1
"""
pytestmark = pytest.mark.usefixtures("without_bubblewrap")  # faster; other tests play inside it


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder for copies of the stores, so that each store is played only once, by the first test that needs it."""
    return tmp_path_factory.mktemp("stores")


@pytest.fixture
def stores(arena, write, played):
    """Make three stores: `old` of a learner, `new` of its worse next version, and `other` with another adversary."""
    for folder, offset, adversary in (("old", 0.0, "realisable"), ("new", 0.5, "realisable"), ("other", 0.0, "drift")):
        write("mine.py", MEAN.format(offset=offset))
        if (played / folder).exists():
            shutil.copytree(played / folder, folder)
            continue
        done = arena(
            "tournament", "./mine.py:Mean", "zero", "--against", adversary, "--rounds", 20, "--seeds", 6,
            "--workers", 0, "--store", folder,
        )  # fmt: skip
        assert done.exit_code == 0, done.output
        shutil.copytree(folder, played / folder)
    return arena


def test_what_got_worse(stores):
    done = stores("compare", "old", "new")
    assert done.exit_code == 0
    assert "12 matches in both stores, 6 of them identical" in done.output
    table = done.output.partition("Change of each learner\n")[2].partition("Change of the mean")[0]
    lines = {line.split()[0]: line for line in table.splitlines()}
    assert "✘ +" in lines["mine.py:Mean"]
    assert lines["zero"].split()[1:3] == ["equal", "equal"]
    worse = done.output.partition("worse: ")[2].partition("better: ")[0]  # on a busy machine times are worse, too
    assert "mine.py:Mean against realisable (rounds 20): regret" in worse
    assert "signs flipped at random, Holm's correction" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("conditions", "code"),
    [
        (["regret:10%"], 1),
        (["regret:1000000%"], 0),
        (["loss:0.001", "violated"], 1),
        (["violated", "forfeited", "missing:0"], 0),
        (["tightness"], 2),
        (["tightness", "regret"], 1),
    ],
)
def test_conditions(stores, conditions, code):
    words = [word for condition in conditions for word in ("--fail-if", condition)]
    assert stores("compare", "old", "new", *words).exit_code == code
    assert stores("compare", "new", "old", *words).exit_code == (2 if "tightness" in conditions else 0)


@pytest.mark.parametrize(("seeds", "code"), [(1, 1), (2, 2)])
def test_two_seeds_decide_nothing_and_one_is_a_fact(arena, write, seeds, code):
    for folder, offset in (("first", 0.0), ("second", 0.5)):
        write("mine.py", MEAN.format(offset=offset))
        words = ("--against", "realisable", "--rounds", 20, "--seeds", seeds, "--workers", 0, "--store", folder)
        assert arena("tournament", "./mine.py:Mean", *words).exit_code == 0
    done = arena("compare", "first", "second", "--fail-if", "regret:10%")
    assert done.exit_code == code
    output = " ".join(done.output.split())
    few = "2 pairs of matches cannot show a change of the regret: the smallest p-value is "
    assert (f"{few}0.5, and at least 6 pairs of a learner are needed." in output) == (seeds == 2)
    assert (f"regret:10%: {few}0.25, and at least 5 pairs of a learner are needed (exit code 2)" in output) == (
        seeds == 2
    )
    assert ("Marked: every difference, since one seed shows no spread." in output) == (seeds == 1)


def test_a_condition_that_holds_says_where(stores):
    output = stores("compare", "old", "new", "--fail-if", "regret:10%", "--fail-if", "missing:100").output
    assert "✘ regret:10% holds: mine.py:Mean on average, mine.py:Mean against realisable" in output
    assert "✔ missing:100: does not hold" in output


def test_a_pattern_that_fits_no_match_deletes_nothing(stores):
    for words in ((), ("--yes",)):
        refused = stores("store", "gc", "old", "--keep", "zzz", *words)
        assert refused.exit_code == 2
        assert "--keep 'zzz' fits no match, and nothing was deleted. The text of a match is such as" in refused.output
    assert len(stores("store", "list", "old").output.splitlines()) == 12


def test_json(stores):
    done = stores("compare", "old", "new", "--json", "--fail-if", "regret:10%")
    assert done.exit_code == 1
    found = json.loads(done.output)
    assert (found["common"], found["identical"]) == (12, 6)
    (condition,) = found["fail_if"]
    assert (condition["condition"], condition["holds"], condition["tested"]) == ("regret:10%", True, 2)
    assert [each["adversary"] for each in condition["where"]] == [None, "realisable"]
    mine = next(each for each in found["learners"] if each["learner"].endswith("Mean") and each["measure"] == "regret")
    assert mine["outcome"] == "worse"
    assert mine["share"] > 0.1
    assert mine["before"][0] < mine["after"][0]
    assert mine["limits"][0] > 0
    games = {each["setting"]["game"]["rounds"] for each in found["settings"]}
    assert games == {20}


def test_nothing_in_common(stores):
    done = stores("compare", "old", "other")
    assert done.exit_code == 2
    assert "no match in common: old has 12 and other has 12, such as mine.py:Mean against realisable" in done.output


def test_matches_of_one_store_alone_are_listed(stores):
    assert stores("store", "merge", "old", "other").exit_code == 0
    done = stores("compare", "old", "new", "--fail-if", "missing")
    assert done.exit_code == 1
    assert "12 matches in old alone\n  mine.py:Mean against drift (rounds 20), 6 seeds\n" in done.output
    assert "missing holds: 12 matches in the first store alone: mine.py:Mean against drift, zero" in done.output
    assert "in new alone" not in done.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere", "nowhere"], "there is no store nowhere"),
        (["old"], "Missing argument 'STORE_B'"),
        (["old", "new", "--fail-if", "regrets"], "Did you mean 'regret'"),
        (["old", "new", "--fail-if", "regret:-3%"], "the limit must be a number >= 0"),
    ],
)
def test_wrong_usage(arena, words, message):
    done = arena("compare", *words)
    assert done.exit_code == 2
    assert message in done.output


@pytest.mark.parametrize(
    "forge",
    [
        lambda match, _: match.pop("loss"),
        lambda match, _: match.update(game={"rounds": 20}),
        lambda match, _: match["game"].update(kernel=[1]),
        lambda match, _: match.update(regret_upper="large"),
        lambda _, judgement: judgement.update(verdicts=[{"theorem": "awv"}]),
    ],
)
def test_a_forged_judgement_is_left_out(stores, tmp_path, forge):
    """The file's seal is right, so that it is recognised only by content that the arena would not write."""
    path = sorted((tmp_path / "new" / "matches").rglob("*.npz"))[0]
    values = json.loads(read_judgement(path))
    forge(values["match"], values["judgement"])
    path.write_bytes(with_judgement(path.read_bytes(), json.dumps(values).encode()))
    done = stores("compare", "old", "new")
    assert done.exit_code == 0, done.output
    assert "11 matches in both stores" in done.output
    assert "11 matches written" in stores("store", "export", "new", "matches.csv").output
    assert len(stores("store", "list", "new").output.splitlines()) == 11
    verified = stores("store", "verify", "new")
    assert verified.exit_code == 3
    assert "has no judgement: run its tournament again" in verified.output
