"""Generated files of transcripts in which fields or arrays are changed, but whose seals and digests are right."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np

from arena import play
from arena.record.fields import OPTIONAL
from arena_tests.bad_input.playground import Case
from arena_tests.files import parts, resealed, sealed
from arena_tests.players import Answers

PLAYERS = [  # every learner that leaves evidence, and every kind of hindsight
    *(
        "krr",
        "kernel-awv",
        "fgd",
        "fogd",
        "nogd",
        "kons",
        "sketched-kons",
        "pros-n-kons",
        "con-kons",
        "b-kons",
        "pkawv",
    ),
    *("pkrr", "pkawv(embedding=nystrom(points=2))", "pkawv(embedding=fourier)", "pkawv-kors", "pkawv-beforehand"),
    *("bogd", "bsgd", "dual-sgd", "dual-svrg", "perceptron", "rbp", "forgetron", "projectron", "projectron-pp", "ewa"),
]
JSON = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2.5,
        10**400,
        float("nan"),
        float("inf"),
        "",
        "krr",
        "x" * 5000,
        "\x1b[31m\n",
        "\ud800",
        [],
        {},
    ),
    *(
        [[]],
        [None],
        ["krr", 3],
        {"a": 1},
        [[0, 1], [0]],
        "os:system",
        "./theirs.py:Mine",
        "gaussian(bandwidth=-1)",
        "[" * 200,
    ),
]
# Changes after which a file may be as right as before; every other change must be refused.
HARMLESS = {"learner", "adversary", "seed", "theorems", "circumstances", "hindsight"}


@cache
def whole(learner: str) -> bytes:
    """Return the bytes of the file of a match of this learner; `|MODE` after the name sets `hindsight`."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    name, _, mode = learner.partition("|")
    fields = {"loss": "hinge"} if name in CLASSIFIERS else {}
    player = Answers([0.5, None]) if name == "foul" else name
    with TemporaryDirectory() as folder, np.errstate(all="ignore"):
        run = play(player, "alternating", rounds=6, hindsight=mode or "auto", **fields)
        return run.save(Path(folder) / "whole.npz").read_bytes()


CLASSIFIERS = ("dual-sgd", "dual-svrg", "perceptron", "rbp", "forgetron", "projectron", "projectron-pp")
BASES = [*PLAYERS, "foul", "krr|interval", "fgd|none", "krr|exact"]


def transcript(number: int) -> Case:
    """Return a command that judges, replays or shrinks the changed transcript `number`."""
    random = Random(f"transcript {number}")
    content = whole(random.choice(BASES))
    kind = random.random()
    codes: tuple[int, ...] = (0, 1, 2)
    if kind < 0.1:
        content = _flipped(content, random)
    else:
        header, arrays = parts(content)
        if kind < 0.45:
            codes = _spoil_header(header, random)
        elif kind < 0.8:
            codes = _spoil_array(arrays, random)
        else:
            _spoil_evidence(arrays, random)
        content = resealed(header, arrays)
    words = random.choice(
        [
            ["judge", "bad.npz"],
            ["judge", "bad.npz", "--json"],
            ["judge", "bad.npz", "--bound", "awv-logdet", "--bound", "ridge-identity"],
            ["judge", "bad.npz", "--report", "out.html"],
            ["replay", "bad.npz"],
            ["replay", "bad.npz", "zero", "--json", "--save", "out.npz"],
            ["replay", "bad.npz", "krr", "--save", "bad.npz"],
            ["shrink", "bad.npz", "zero", "--bound", "at-most(regret=1000)", "--budget", "1"],
        ]
    )
    return Case(words, codes, {"bad.npz": content})


def _spoil_header(header: dict, random: Random) -> tuple[int, ...]:
    places = [(header, key) for key in header] + [(header["game"], key) for key in header["game"]] * 2
    if header["forfeit"]:
        places += [(header["forfeit"], key) for key in header["forfeit"]]
    places += [(each, key) for each in header["intervals"] for key in each]
    holder, key = random.choice(places)
    value = random.choice(JSON)
    if holder.get(key) == value:
        return (0, 1, 2)
    change = random.random()
    if change < 0.1:
        del holder[key]
        return (0, 1, 2) if holder is header and key in OPTIONAL else (2,)
    if change < 0.15:
        holder["surplus"] = value
        return (2,)
    holder[key] = value
    absurd = value is None or value == {} or (value == [] and key != "theorems")
    return (2,) if holder is header and key != "forfeit" and (absurd or key not in HARMLESS) else (0, 1, 2)


def _spoil_array(arrays: dict, random: Random) -> tuple[int, ...]:
    name = random.choice([name for name in arrays if not name.startswith("evidence/")])
    array = arrays[name]
    wrong = random.choice(ARRAYS)
    if wrong is None:
        del arrays[name]
        return (2,)
    if not array.size:
        return (0, 1, 2)
    arrays[name] = wrong(array, random)
    return (2,) if wrong in SURELY else (0, 1, 2)


def _nan(array, random: Random):
    array = array.copy()
    array.flat[random.randrange(array.size)] = random.choice([np.nan, np.inf, -np.inf])
    return array


SURELY = [
    _nan,
    lambda a, r: a[..., np.newaxis],
    lambda a, r: a.astype(str),
    lambda a, r: a.astype(complex),
    lambda a, r: a.astype(np.int64),
    lambda a, r: np.zeros(()),
]
ARRAYS = [
    None,
    *SURELY,
    lambda a, r: a[: r.randrange(len(a))],
    lambda a, r: np.concatenate([a, a[:1]]),
    lambda a, r: a * r.choice([-1.0, 0.0, 1e9, 1e200, 1e-200]),
    lambda a, r: a.ravel(),
    lambda a, r: a[::-1],
    lambda a, r: a.astype(">f8"),
]


def _spoil_evidence(arrays: dict, random: Random) -> None:
    names = [name for name in arrays if name.startswith("evidence/")]
    if not names:
        arrays["evidence/steps"] = np.zeros(3)
        return
    for _ in range(random.choice([1, 1, 2])):
        name = random.choice(names)
        array = np.asarray(arrays.get(name, np.zeros(1)))
        wrong = random.choice(
            [
                lambda a: None,
                lambda a: np.zeros(()),
                lambda a: np.zeros(0),
                lambda a: np.zeros((0, 7)),
                lambda a: a.ravel()[: random.randrange(a.size + 1)],
                lambda a: a[..., np.newaxis],
                lambda a: np.concatenate([a.ravel(), a.ravel()]),
                lambda a: a * random.choice([-1.0, 0.5, np.nan, np.inf, 1e300, 1e9]),
                lambda a: a + random.choice([-1, 0.5, 7, 10**6, 2**62]),
                lambda a: a.astype(complex),
                lambda a: a > 0,
                lambda a: a.astype(np.uint8) if a.dtype.kind != "c" else a,
                lambda a: np.full((3, 3, 3), 2.0),
            ]
        )
        with np.errstate(all="ignore"):
            changed = wrong(array)
        if changed is None:
            arrays.pop(name, None)
        else:
            arrays[name] = changed


def _flipped(content: bytes, random: Random) -> bytes:
    """Return the bytes of a file with some bytes changed, or cut off; in some cases with a seal that fits them."""
    body = bytearray(content[:-64])
    for _ in range(random.choice([1, 2, 5])):
        body[random.randrange(len(body))] = random.randrange(256)
    whole = bytes(body)
    cut = whole[: random.randrange(len(whole))]
    return random.choice([whole + content[-64:], sealed(whole), sealed(cut), cut, b"", content + b"x"])
