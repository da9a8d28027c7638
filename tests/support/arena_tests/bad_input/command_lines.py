"""Command lines with mistakes in an option, a spec, a number, a name or a path."""

from __future__ import annotations

from hypothesis import strategies as st

from arena_tests.bad_input.playground import Case

# Commands that are right and short, before they are spoilt.
COMMANDS = [
    "play krr alternating --rounds 3",
    "play kernel-awv greedy --rounds 2 --json",
    "play zero repeated(points=2) --rounds 3 --bound none --save out.npz",
    "play ./mine.py:Mine alternating --rounds 3 --report out.html",
    "play krr replay(file=data.csv) --bound awv-logdet --seed 3",
    "play fgd alternating --rounds 3 --hindsight interval --kernel gaussian(bandwidth=2) --box [0,1] --dimension 1",
    "play krr alternating --rounds 3 --label-bound 2 --prediction-bound 1 --regularisation 0.5 --loss squared",
    "judge match.npz --bound awv-logdet --json",
    "judge match.npz --report out.html",
    "replay match.npz zero --one-by-one --save out.npz",
    "replay match.npz --json --traceback",
    "shrink match.npz krr --bound awv-logdet --budget 1 --json",
    "failures list --folder store --json",
    "failures show --folder store",
    "failures promote --folder store --to .",
    "failures clear --folder store",
    "failures clear --folder theirs",
    "failures list --folder theirs --learner krr --theorem awv-logdet",
    "list learners --json",
    "list theorems --markdown",
    "show krr --json",
    "show greedy",
    "new learner my-learner",
    "new learner MyLearner --folder out",
    "--version",
]
# These take long when they are right, so they always end with a mistake.
LONG = [
    "play krr alternating --rounds 3 --seeds 2",
    "play krr --all-adversaries --rounds 3",
    "hunt krr --bound awv-logdet --matches 1",
    "hunt krr --budget 0.1 --save out --parameters varied",
    "check krr --seed 1 --expect-failure x=y --dimension 2",
    "reproduce errata --json",
    "reproduce tightness --rounds 10",
]
MISTAKES = ["--nope", "--rounds=many", "--seed=x", "--json=1", "--dimension=none"]
SIMPLE = {  # texts without spaces
    "numbers": "nan inf -inf -1 0 -0 1e309 -1e309 1e-320 1e 0x10 1.5 1,5 1__0 true three ٣ 1e400 [1] 1;2 ½ NaN",
    "names": "krrr KRR awv None none auto learner numpy math 1st a--b ../up class",
    "specs": """
        krr( krr) krr() krr(regularisation=) krr(=1) krr(1) krr(regularisation=-1) krr(regularisation='1')
        krr(regularisation=krr) krr(regularisation=1e-320) krr(regularisation=1e308) krr(regularisation=nan)
        krr(regularisation=inf) () [] = , 'krr " ./mine.py: ./mine.py:Nope ./mine.py :Mine ./broken.py:Mine
        ./nowhere.py:Mine ./dir.npz:Mine nosuch:Mine math:sin math:pi collections:deque json:loads json.nosuch:x
        builtins:object os: ./pipe.npz:Mine ./mine.py:Mine(a=1) ./mine.py:Mine.predict
        gaussian(bandwidth=1e-200) gaussian(bandwidth=0) gaussian(bandwidth=1e200) polynomial(degree=0)
        polynomial(degree=-1) linear(x=1) squared hinge(1) replay(file=nowhere.csv) replay(file=.)
        replay(file=pipe.npz) replay replay(file='') replay(file=3) repeated(points=0) at-most(regret=-1)
        at-most(regret=nan) at-most awv-logdet(regularisation=0) greedy(starts=0) krr(π=3)
    """,
    "paths": """
        . .. / - -- ~ nowhere/out.npz dir.npz pipe.npz /dev/null /dev/null.npz match.npz data.npz thesis.html
        results.json out.csv out a\0b.npz \udcff.npz data.csv match.npz/x.npz ./match.npz -x.npz store/failures mine.py
        out.npz.html 🦆.npz /proc/x.npz /nowhere/\x1b[31m.npz theirs theirs/failures/abcdefabcdef.worst.npz
    """,
    "boxes": "[ [1 [1,0] [0,0] [a,b] [0,1,2] [[0,1]] [[0,1],[0]] [nan,1] [-inf,inf] [0,1e309] (0,1)",
    "flags": "--nope -x --rounds --= --- --json=1 --save --bound --help --folder -h --trust",
}
NUMBERS, NAMES, SPECS, PATHS, BOXES, FLAGS = (text.split() for text in SIMPLE.values())
TEXT = [
    "\n",
    "\x1b[2J\x07",
    "x" * 5000,
    "é\u202e",
    "\udcff",
    "🦆",
    "'",
    '"',
    "$(touch owned)",
    "; ls",
    "%s",
    "{}",
    "\\",
]
TEXT += ["", " "]
NUMBERS += ["\x1b[31m", "", " ", "1 2", "1" * 400, "-" + "9" * 400, "1" * 5000]
NAMES += ["krr "]
SPECS += [
    "krr(" * 500,
    "[" * 3000,
    "krr(x=" + "[" * 2000 + "]" * 2000 + ")",
    "krr(x='" + "y" * 9999 + "')",
    "a" * 10_000,
]
SPECS += ["krr(a=1, a=2)", "krr(regularisation=[1, 2])", "alternating(at=[9, 9])"]
SPECS += ["replay(file=data.csv, label_column=9)", "replay(file=data.csv, order=none)"]
PATHS += ["", "x" * 300 + ".npz", "x" * 5000, "out\n.npz"]
ANYTHING = st.one_of(*map(st.sampled_from, (NUMBERS, TEXT, NAMES, SPECS, PATHS, BOXES)))
FITTING = {
    "--box": BOXES,
    "--bound": SPECS,
    **dict.fromkeys(("--save", "--report", "--folder", "--to"), PATHS),
    **dict.fromkeys(("--rounds", "--dimension", "--seed", "--regularisation", "--label-bound"), NUMBERS),
    **dict.fromkeys(("--budget", "--matches", "--seeds"), NUMBERS),
}


@st.composite
def command_lines(draw):
    """A correct command line with one to three changes."""
    long = draw(st.integers(0, 4)) == 4
    words = draw(st.sampled_from(LONG if long else COMMANDS)).split(" ")
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        words = draw(st.sampled_from(CHANGES))(draw, words, draw(st.sampled_from(range(len(words)))))
    if not long:
        return Case(words)
    return Case([*words, draw(st.sampled_from(MISTAKES))], (0, 1, 2) if {"--help", "-h"} & {*words} else (2,))


@st.composite
def mistyped(draw, word):
    """The word with one to four letters deleted or signs inserted.

    No digits are inserted, since a larger number could make the command slow.
    """
    letters = list(word)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(letters)))
        if at < len(letters) and draw(st.booleans()):
            del letters[at]
        else:
            letters.insert(at, draw(st.sampled_from("()[]=,'\"\\: .-~\n\t\x1b\0x/")))
    return "".join(letters)


def _replaced(draw, words, at):
    return [*words[:at], draw(ANYTHING | mistyped(words[at])), *words[at + 1 :]]


def _wrong_value(draw, words, at):
    """Replace a word that is no option and not the command by a value that is wrong for the option before it."""
    at = draw(st.sampled_from([each for each in range(1, len(words)) if words[each][:2] != "--"] or [at]))
    fitting = FITTING.get(words[at - 1])
    if fitting is None:
        return _replaced(draw, words, at)
    return [*words[:at], draw(st.sampled_from(fitting)), *words[at + 1 :]]


def _swapped(draw, words, at):
    other = draw(st.integers(0, len(words) - 1))
    words = list(words)
    words[at], words[other] = words[other], words[at]
    return words


CHANGES = [
    *(_wrong_value, _wrong_value, _wrong_value, _replaced, _swapped),
    lambda draw, words, at: words[:at] + words[at + 1 :] or [""],
    lambda draw, words, at: [*words[: at + 1], *words[at:]],
    lambda draw, words, at: [*words[:at], draw(st.sampled_from(FLAGS) | ANYTHING), *words[at:]],
]
