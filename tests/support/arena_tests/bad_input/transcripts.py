"""Files of transcripts in which fields or arrays are changed, but whose seals and digests are right."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import strategies as st

from arena import play
from arena.record.fields import OPTIONAL
from arena_tests.bad_input.playground import Case
from arena_tests.files import parts, resealed, sealed
from arena_tests.players import Answers

CLASSIFIERS = ["dual-sgd", "dual-svrg", "perceptron", "rbp", "forgetron", "projectron", "projectron-pp"]
LEARNERS = """
    krr kernel-awv fgd fogd nogd kons sketched-kons pros-n-kons con-kons b-kons pkawv pkrr pkawv-kors bogd
    pkawv(embedding=nystrom(points=2)) pkawv(embedding=fourier) pkawv-beforehand bsgd ewa
"""
# Every learner that leaves evidence, a foul, and every kind of hindsight.
BASES = [*LEARNERS.split(), *CLASSIFIERS, "foul", "krr|interval", "fgd|none", "krr|exact"]
JSON = [
    *(None, True, False, 0, 1, -1, 2.5, 10**400, float("nan"), float("inf")),
    *("", "krr", "x" * 5000, "\x1b[31m\n", "\ud800", "os:system", "./theirs.py:Mine", "gaussian(bandwidth=-1)"),
    *([], {}, [[]], [None], ["krr", 3], {"a": 1}, [[0, 1], [0]], "[" * 200),
]
# Changes after which a file may be as right as before; every other change must be refused.
HARMLESS = {"learner", "adversary", "seed", "theorems", "circumstances", "hindsight"}
COMMANDS = [
    "judge bad.npz",
    "judge bad.npz --json",
    "judge bad.npz --bound awv-logdet --bound ridge-identity",
    "judge bad.npz --report out.html",
    "replay bad.npz",
    "replay bad.npz zero --json --save out.npz",
    "replay bad.npz krr --save bad.npz",
    "shrink bad.npz zero --bound at-most(regret=1000) --budget 1",
]
ANY, REFUSED = (0, 1, 2), (2,)


@cache
def whole(learner: str) -> bytes:
    """Return the bytes of the file of a match of this learner; `|MODE` after the name sets `hindsight`."""
    name, _, mode = learner.partition("|")
    fields = {"loss": "hinge"} if name in CLASSIFIERS else {}
    player = Answers([0.5, None]) if name == "foul" else name
    with TemporaryDirectory() as folder, np.errstate(all="ignore"):
        run = play(player, "alternating", rounds=6, hindsight=mode or "auto", **fields)
        return run.save(Path(folder) / "whole.npz").read_bytes()


@st.composite
def transcripts(draw):
    """A command that judges, replays or shrinks a changed transcript."""
    content, spoil = whole(draw(st.sampled_from(BASES))), draw(st.sampled_from([*SPOILT_PARTS * 3, None]))
    content, codes = draw(changed(content, *spoil) if spoil else flipped(content))
    return Case(draw(st.sampled_from(COMMANDS)).split(" "), codes, {"bad.npz": content})


@st.composite
def changed(draw, content, part, spoil):
    """The file with its header (part 0) or arrays (part 1) changed by `spoil`, and the exit codes that are right."""
    both = parts(content)
    codes = spoil(draw, both[part])
    return resealed(*both), codes


@st.composite
def flipped(draw, content):
    """The file with some bytes changed, or cut off; in some cases with a seal that fits them."""
    body = bytearray(content[:-64])
    for _ in range(draw(st.sampled_from([1, 2, 5]))):
        body[draw(st.integers(0, len(body) - 1))] = draw(st.integers(0, 255))
    spoilt = bytes(body)
    cut = spoilt[: draw(st.integers(0, len(spoilt) - 1))]
    return draw(st.sampled_from([spoilt + content[-64:], sealed(spoilt), sealed(cut), cut, b"", content + b"x"])), ANY


def spoil_header(draw, header):
    places = [(header, key) for key in header] + [(header["game"], key) for key in header["game"]] * 2
    places += [(header["forfeit"], key) for key in header["forfeit"] or ()]
    places += [(each, key) for each in header["intervals"] for key in each]
    holder, key = draw(st.sampled_from(places))
    value, kind = draw(st.sampled_from(JSON)), draw(st.integers(0, 19))
    if holder.get(key) == value:
        return ANY
    if kind == 19:
        holder["surplus"] = value
        return REFUSED
    if kind >= 17:
        del holder[key]
        return ANY if holder is header and key in OPTIONAL else REFUSED
    holder[key] = value
    absurd = value is None or value == {} or (value == [] and key != "theorems")
    return REFUSED if holder is header and key != "forfeit" and (absurd or key not in HARMLESS) else ANY


def spoil_array(draw, arrays):
    name = draw(st.sampled_from([name for name in arrays if not name.startswith("evidence/")]))
    wrong, number = draw(st.sampled_from([None, *SURELY, *PERHAPS])), draw(st.integers(0, 999))
    if wrong is None:
        del arrays[name]
        return REFUSED
    if not arrays[name].size:
        return ANY
    arrays[name] = wrong(arrays[name], number)
    return REFUSED if wrong in SURELY else ANY


def spoil_evidence(draw, arrays):
    names = [name for name in arrays if name.startswith("evidence/")]
    if not names:
        arrays["evidence/steps"] = np.zeros(3)
        return ANY
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True)):
        wrong, number = draw(st.sampled_from([None, *EVIDENCE])), draw(st.integers(0, 999))
        array = arrays.pop(name)
        if wrong is not None:
            with np.errstate(all="ignore"):
                arrays[name] = wrong(array, number)
    return ANY


def _not_finite(array, number):
    array = array.copy()
    array.flat[number % array.size] = [np.nan, np.inf, -np.inf][number % 3]
    return array


# Changes of an array, with a number that says where or by how much.
SURELY = [
    _not_finite,
    lambda a, n: a[..., np.newaxis],
    lambda a, n: a.astype(str),
    lambda a, n: a.astype(complex),
    lambda a, n: a.astype(np.int64),
    lambda a, n: np.zeros(()),
]
PERHAPS = [
    lambda a, n: a[: n % len(a)],
    lambda a, n: np.concatenate([a, a[:1]]),
    lambda a, n: a * [-1.0, 0.0, 1e9, 1e200, 1e-200][n % 5],
    lambda a, n: a.ravel(),
    lambda a, n: a[::-1],
    lambda a, n: a.astype(">f8"),
]
EVIDENCE = [
    lambda a, n: np.zeros(()),
    lambda a, n: np.zeros(0),
    lambda a, n: np.zeros((0, 7)),
    lambda a, n: a.ravel()[: n % (a.size + 1)],
    lambda a, n: a[..., np.newaxis],
    lambda a, n: np.concatenate([a.ravel(), a.ravel()]),
    lambda a, n: a * [-1.0, 0.5, np.nan, np.inf, 1e300, 1e9][n % 6],
    lambda a, n: a + [-1, 0.5, 7, 10**6, 2**62][n % 5],
    lambda a, n: a.astype(complex),
    lambda a, n: a > 0,
    lambda a, n: a.astype(np.uint8) if a.dtype.kind != "c" else a,
    lambda a, n: np.full((3, 3, 3), 2.0),
]
SPOILT_PARTS = [(0, spoil_header), (1, spoil_array), (1, spoil_evidence)]
