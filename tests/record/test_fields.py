"""A transcript with a right seal is refused if no match can have its content."""

import numpy as np
import pytest

from arena import ArenaError, DamagedFile, Transcript, play
from arena.record.storage import content_digest
from arena_tests.files import parts, resealed
from arena_tests.players import Answers, LeavesEvidence


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The bytes of transcripts of many kinds: exact, interval, no hindsight, forfeit, evidence."""
    folder = tmp_path_factory.mktemp("files")
    matches = {
        "exact": play("kernel-awv", "alternating", rounds=5),
        "interval": play("fgd", "alternating", rounds=5, hindsight="interval"),
        "none": play("krr", "greedy", rounds=5, hindsight="none"),
        "forfeit": play(Answers([0.5, None]), "alternating", rounds=5),
        "evidence": play(LeavesEvidence({"norms": np.arange(3.0)}), "repeated(points=3)", rounds=4, dimension=1),
        "kors": play("pkawv-kors", "alternating", rounds=5),
    }
    return {kind: run.save(folder / f"{kind}.npz").read_bytes() for kind, run in matches.items()}


def refusal(tmp_path, content, header_changes=(), array_changes=()):
    """Return the message with which the changed file is refused; assert that the unchanged file is read."""
    header, arrays = parts(content)
    path = tmp_path / "changed.npz"
    path.write_bytes(resealed(header, arrays))
    assert Transcript.load(path).rounds == len(arrays["labels"])
    header |= dict(header_changes)
    for name, change in dict(array_changes).items():
        arrays[name] = change(arrays[name])
    path.write_bytes(resealed(header, {name: each for name, each in arrays.items() if each is not None}))
    with pytest.raises(DamagedFile) as caught:
        Transcript.load(path)
    assert str(caught.value).endswith("Play the match again, or fetch the file again from where it was whole.")
    return str(caught.value)


def with_nan(array):
    array = array.astype(float)
    array.flat[0] = np.nan
    return array


ARRAYS = {
    "as a vector": lambda a: np.zeros(a.size + 1),
    "shorter": lambda a: a[:-1],
    "longer": lambda a: np.concatenate([a, a[:1]]),
    "NaN": with_nan,
    "infinite": lambda a: a + np.inf,
    "whole numbers": lambda a: a.astype(np.int64),
    "text": lambda a: a.astype(str),
    "single precision": lambda a: a.astype(np.float32),
    "a single number": lambda _: np.float64(1.0),
    "one axis more": lambda a: a[..., np.newaxis],
    "gone": lambda _: None,
}


@pytest.mark.parametrize("change", ARRAYS)
def test_every_array_is_checked(files, tmp_path, change):
    for kind, content in files.items():
        for name, array in parts(content)[1].items():
            if name.startswith("evidence/") or (not array.size and change in ("NaN", "infinite")):
                continue
            if (name, change) in (("labels", "shorter"), ("sizes", "shorter"), ("unanswered/labels", "shorter")):
                continue  # other arrays do not fit then, or it may be so
            if name.startswith("unanswered") and change in ("shorter", "longer", "gone"):
                continue
            if not array.size and change in ("shorter", "longer"):
                continue
            assert refusal(tmp_path, content, (), {name: ARRAYS[change]}), (kind, name)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("points", lambda a: a[:, :1], "points has the shape (5, 1) instead of (5, 2)"),
        ("points", lambda a: a + 9, "in round 1 coordinate 1 of the point is 9, outside the box's [-1, 1]"),
        ("labels", lambda a: a * 3, "in round 1 the label 3 is beyond the label bound 1"),
        ("labels", lambda a: with_nan(a), "labels holds NaN or infinity"),
        ("seconds", lambda a: a - 1, "seconds holds a number < 0"),
        ("hindsight/0/variance", lambda a: a - 9, "hindsight/0/variance holds a number < 0"),
        ("sizes", lambda _: np.array([[3.0, 1.0], [2.0, 1.0]]), "do not rise from 1"),
    ],
)
def test_what_arrays_hold(files, tmp_path, name, change, message):
    assert message in refusal(tmp_path, files["exact"], (), {name: change})


HEADER = {
    "learner": [None, 7, ["krr"]],
    "adversary": [None, {}],
    "game": [None, [], {}, {"rounds": 5}],
    "seed": [-1, 1.5, True, "0", None],
    "ended": ["won", 1, "exhausted or so", "forfeit"],
    "forfeit": [{}, {"side": "learner"}, {"side": "judge", "round": 1, "reason": "", "details": ""}, "yes"],
    "theorems": ["awv-leverage", [1], None, {}],
    "hindsight": ["sometimes", None],
    "hindsights": [[2.0, 3.0], ["1"], [-1.0], [None], 1.0, [1.0, 1.0], [10**400]],
    "intervals": [None, [{}], [1], [{"regularisation": 1.0}]],
    "circumstances": [
        *(None, {"remark": 3}, {"label_unit": "wide"}, {"label_unit": -1.0}, {"label_unit": None}, {"machine": ["a"]}),
        *({"exact": 1}, {"hindsight": "sometimes"}, {"hindsight": []}, {"isolate": True}, {"comparators": 2}),
        *({"hindsight_time": each} for each in ("1", None, True, -1.0, float("nan"), 10**400)),
    ],
    "lower_bounds": [None, [], "followers", [1], {}],
    "comparators": [None, [], "constant", [["constant"]]],
    "surplus": [1],
}


@pytest.mark.parametrize("key", HEADER)
def test_every_field_of_the_header_is_checked(files, tmp_path, key):
    for value in HEADER[key]:
        assert "no match can have left it" in refusal(tmp_path, files["exact"], {key: value}), value


def test_circumstances_of_newer_versions_are_kept(files, tmp_path):
    header, arrays = parts(files["exact"])
    digest = content_digest(Transcript.load(_written(tmp_path, header, arrays)))
    newer = {"temperature": 36.6, "cores": 8, "virtual": False, "disks": ["a", {"b": None}], "label_unit": float("inf")}
    header["circumstances"] |= newer
    run = Transcript.load(_written(tmp_path, header, arrays))
    assert newer.items() <= run.header.items()
    assert Transcript.load(run.save(tmp_path / "again.npz")).header == run.header
    del header["circumstances"]["label_unit"]  # of which the digest knows
    assert content_digest(Transcript.load(_written(tmp_path, header, arrays))) == digest


def _written(folder, header, arrays):
    (folder / "written.npz").write_bytes(resealed(header, arrays))
    return folder / "written.npz"


GAME = {
    "rounds": [3, 0, -1, 2.5, "5", None, 10**30],
    "dimension": [3, 0, None, 1.0e300, True],
    "box": [[[0, 1]], "box", None, [1, -1], [[0, 1], [0]], [float("nan"), 1], [0.0, {"a": 1}], []],
    "kernel": ["gausian", 3, None, "gaussian(bandwidth=-1)", "gaussian(", "", "krr"],
    "loss": ["squarred", {}, "gaussian"],
    "label_bound": [0, -1, "1", float("inf"), 0.25, 10**400],
    "prediction_bound": [0, "C", float("nan")],
    "regularisation": [0, None, "lambda", float("nan")],
    "surplus": [1],
}


@pytest.mark.parametrize("key", GAME)
def test_every_field_of_the_game_is_checked(files, tmp_path, key):
    for value in GAME[key]:
        game = {**parts(files["exact"])[0]["game"], key: value}
        assert "no match can have left it" in refusal(tmp_path, files["exact"], {"game": game}), value


def test_ends_of_intervals_are_checked(files, tmp_path):
    (known,) = parts(files["interval"])[0]["intervals"]
    wrong = {"features": [-1, 0.5], "rounding": [-1.0, None]}
    wrong["final"] = [[2.0, 1.0], [1.0], [-1.0, 1.0], None, ["a", "b"]]
    for key, values in wrong.items():
        for value in values:
            refusal(tmp_path, files["interval"], {"intervals": [{**known, key: value}]})


def test_forfeits_are_checked(files, tmp_path):
    foul = parts(files["forfeit"])[0]["forfeit"]
    for changes in ({"round": 9}, {"round": -1}, {"round": "2"}, {"side": "referee"}, {"reason": None}, {"more": 1}):
        refusal(tmp_path, files["forfeit"], {"forfeit": {**foul, **changes}})
    refusal(tmp_path, files["forfeit"], {"ended": "completed"})
    refusal(tmp_path, files["forfeit"], (), {"unanswered/points": lambda _: np.full((4, 2), 7.0)})
    refusal(tmp_path, files["forfeit"], (), {"unanswered/labels": lambda _: np.zeros(9)})


def test_evidence_is_made_of_numbers(files, tmp_path):
    refusal(tmp_path, files["evidence"], (), {"evidence/norms": lambda a: a.astype(str)})


@pytest.mark.parametrize("key", ["kernel", "loss"])
def test_code_that_a_header_names_is_not_imported(files, tmp_path, monkeypatch, key):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "theirs.py").write_text("open('ran', 'w').close()\nclass Mine: pass\n")
    header, arrays = parts(files["exact"])
    for address in ("./theirs.py:Mine", "theirs:Mine", "os:system(command='touch ran')", "'theirs:Mine'()"):
        header["game"][key] = address
        (tmp_path / "theirs.npz").write_bytes(resealed(header, arrays))
        with pytest.raises(ArenaError, match="comes from a file and names code outside the arena, which is not run"):
            Transcript.load(tmp_path / "theirs.npz")
    assert not (tmp_path / "ran").exists()


def test_a_format_of_another_version_says_which(files, tmp_path):
    header, arrays = parts(files["exact"])
    header |= {"format": 2, "circumstances": {"arena": "9.1"}}
    (tmp_path / "new.npz").write_bytes(resealed(header, arrays))
    message = (
        r"has format 2, and regret-arena .* reads format 1\. Read it with the version that wrote it \('9\.1'\), or play"
    )
    with pytest.raises(DamagedFile, match=message):
        Transcript.load(tmp_path / "new.npz")


def test_what_a_match_of_extreme_numbers_leaves_is_read_again(tmp_path):
    for fields in (  # in a box ten times as large the kernel exceeds 1e150, and the game is refused
        {"regularisation": 1e-150, "label_bound": 1e100},
        {"regularisation": 1e150},
        {"box": (-1e74, 1e74), "kernel": "linear", "label_bound": 1e100},
        {"box": (-1e37, 1e37), "kernel": "polynomial(degree=2)"},
    ):
        with np.errstate(all="ignore"):
            run = play("zero", "alternating", rounds=4, **fields)
            run.hindsight()
            run.hindsight(run.game.regularisation * 2)
            read = Transcript.load(run.save(tmp_path / "extreme.npz"))
        assert np.array_equal(read.labels, run.labels)


def test_what_is_read_cannot_be_written(files, tmp_path):
    (tmp_path / "exact.npz").write_bytes(files["exact"])
    run = Transcript.load(tmp_path / "exact.npz")
    for array in (run.points, run.labels, run.predictions):
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
