"""Generated command lines with mistakes in an option, a spec, a number, a name or a path."""

from __future__ import annotations

from random import Random

from arena_tests.bad_input.playground import Case

# Commands that are right and short; the generators spoil them.
COMMANDS = [
    "play krr alternating --rounds 3",
    "play kernel-awv greedy --rounds 2 --json",
    "play zero repeated(points=2) --rounds 3 --bound none --save out.npz",
    "play ./mine.py:Mine alternating --rounds 3 --report out.html",
    "play krr replay(path=data.csv) --bound awv-logdet --seed 3",
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
# These take long when they are right, so they are always spoilt.
LONG = [
    "play krr alternating --rounds 3 --seeds 2",
    "play krr --all-adversaries --rounds 3",
    "hunt krr --bound awv-logdet --matches 1",
    "hunt krr --budget 0.1 --save out --parameters varied",
    "check krr --seed 1 --expect-failure x=y --dimension 2",
    "reproduce errata --json",
    "reproduce tightness --rounds 10",
]
NUMBERS = [
    *("nan", "inf", "-inf", "-1", "0", "-0", "1e309", "-1e309", "1e-320", "1e", "0x10", "1.5", "1,5", "1__0", "true"),
    *(
        "",
        " ",
        "three",
        "٣",
        "1" * 400,
        "-" + "9" * 400,
        "1" * 5000,
        "1e400",
        "[1]",
        "1;2",
        "½",
        "NaN",
        "1 2",
        "\x1b[31m",
    ),
]
TEXT = [
    "",
    " ",
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
NAMES = [
    "krrr",
    "KRR",
    "krr ",
    "awv",
    "None",
    "none",
    "auto",
    "learner",
    "numpy",
    "math",
    "1st",
    "a--b",
    "../up",
    "class",
]
SPECS = [
    *("krr(", "krr)", "krr()", "krr(regularisation=)", "krr(=1)", "krr(1)", "krr(regularisation=-1)", "krr(a=1, a=2)"),
    *("krr(regularisation=[1, 2])", "krr(regularisation='1')", "krr(regularisation=krr)", "krr(regularisation=1e-320)"),
    *(
        "krr(regularisation=1e308)",
        "krr(regularisation=nan)",
        "krr(regularisation=inf)",
        "()",
        "[]",
        "=",
        ",",
        "'krr",
        '"',
    ),
    *("krr(" * 500, "[" * 3000, "krr(x=" + "[" * 2000 + "]" * 2000 + ")", "krr(x='" + "y" * 9999 + "')", "a" * 10_000),
    *("./mine.py:", "./mine.py:Nope", "./mine.py", ":Mine", "./broken.py:Mine", "./nowhere.py:Mine", "./dir.npz:Mine"),
    *(
        "nosuch:Mine",
        "math:sin",
        "math:pi",
        "collections:deque",
        "json:loads",
        "json.nosuch:x",
        "builtins:object",
        "os:",
    ),
    *(
        "./pipe.npz:Mine",
        "./mine.py:Mine(a=1)",
        "./mine.py:Mine.predict",
        "gaussian(bandwidth=1e-200)",
        "gaussian(bandwidth=0)",
    ),
    *(
        "gaussian(bandwidth=1e200)",
        "polynomial(degree=0)",
        "polynomial(degree=-1)",
        "linear(x=1)",
        "squared",
        "hinge(1)",
    ),
    *(
        "replay(path=nowhere.csv)",
        "replay(path=.)",
        "replay(path=pipe.npz)",
        "replay",
        "replay(path='')",
        "replay(path=3)",
    ),
    *(
        "replay(path=data.csv, label_column=9)",
        "replay(path=data.csv, order=none)",
        "alternating(at=[9, 9])",
        "repeated(points=0)",
    ),
    *(
        "at-most(regret=-1)",
        "at-most(regret=nan)",
        "at-most",
        "awv-logdet(regularisation=0)",
        "greedy(starts=0)",
        "krr(π=3)",
    ),
]
PATHS = [
    *(
        "",
        ".",
        "..",
        "/",
        "-",
        "--",
        "~",
        "nowhere/out.npz",
        "dir.npz",
        "pipe.npz",
        "/dev/null",
        "/dev/null.npz",
        "match.npz",
    ),
    *(
        "data.npz",
        "thesis.html",
        "results.json",
        "out.csv",
        "out",
        "x" * 300 + ".npz",
        "a\0b.npz",
        "\udcff.npz",
        "out\n.npz",
    ),
    *(
        "data.csv",
        "match.npz/x.npz",
        "./match.npz",
        "-x.npz",
        "store/failures",
        "mine.py",
        "out.npz.html",
        "🦆.npz",
        "/proc/x.npz",
    ),
    *("/nowhere/\x1b[31m.npz", "theirs", "theirs/failures/abcdefabcdef.worst.npz", "x" * 5000),
]
BOXES = [
    "[",
    "[1",
    "[1,0]",
    "[0,0]",
    "[a,b]",
    "[0,1,2]",
    "[[0,1]]",
    "[[0,1],[0]]",
    "[nan,1]",
    "[-inf,inf]",
    "[0,1e309]",
    "(0,1)",
]
FLAGS = [
    "--nope",
    "-x",
    "--rounds",
    "--=",
    "---",
    "--json=1",
    "--save",
    "--bound",
    "--help",
    "--folder",
    "-h",
    "--trust",
]
POOLS = [NUMBERS, TEXT, NAMES, SPECS, PATHS, BOXES]


def command_line(number: int) -> Case:
    """Return command line `number`: a correct command line with one to three random changes."""
    random = Random(f"command line {number}")
    always = random.random() < 0.2
    words = random.choice(LONG if always else COMMANDS).split(" ")
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        words = random.choice(SPOILERS)(words, random)
    if always:  # wrong for sure, or it would take long
        words = [*words, random.choice(["--nope", "--rounds=many", "--seed=x", "--json=1", "--dimension=none"])]
    return Case(words, (2,) if always and "--help" not in words and "-h" not in words else (0, 1, 2))


def _replaced(words: list[str], random: Random) -> list[str]:
    at = random.randrange(len(words))
    return [*words[:at], _nasty(random, words[at]), *words[at + 1 :]]


def _value(words: list[str], random: Random) -> list[str]:
    """Return the words with a random value in place of a word that is no option and not the name of the command."""
    places = [at for at, word in enumerate(words) if at and not word.startswith("--")]
    at = random.choice(places) if places else len(words) - 1
    return [*words[:at], _nasty(random, words[at], option=words[at - 1]), *words[at + 1 :]]


def _nasty(random: Random, word: str, option: str = "") -> str:
    fitting = {"--box": BOXES, "--save": PATHS, "--report": PATHS, "--folder": PATHS, "--to": PATHS, "--bound": SPECS}
    numeric = {
        "--rounds",
        "--dimension",
        "--seed",
        "--regularisation",
        "--label-bound",
        "--budget",
        "--matches",
        "--seeds",
    }
    pool = fitting.get(option) or (NUMBERS if option in numeric else random.choice(POOLS))
    return _mistyped(word, random) if random.random() < 0.2 and option not in numeric else random.choice(pool)


def _mistyped(word: str, random: Random) -> str:
    """Return the word with one to four letters deleted or signs inserted.

    No digits are inserted, since a larger number could make the command slow.
    """
    letters = list(word)
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(letters) + 1)
        if random.random() < 0.4 and letters:
            del letters[min(at, len(letters) - 1)]
        else:
            letters.insert(at, random.choice("()[]=,'\"\\: .-~\n\t\x1b\0x/"))
    return "".join(letters)


def _dropped(words: list[str], random: Random) -> list[str]:
    at = random.randrange(len(words))
    return words[:at] + words[at + 1 :] or [""]


def _doubled(words: list[str], random: Random) -> list[str]:
    at = random.randrange(len(words))
    return [*words[: at + 1], *words[at:]]


def _swapped(words: list[str], random: Random) -> list[str]:
    at, other = random.randrange(len(words)), random.randrange(len(words))
    words = list(words)
    words[at], words[other] = words[other], words[at]
    return words


def _inserted(words: list[str], random: Random) -> list[str]:
    at = random.randrange(len(words) + 1)
    return [*words[:at], random.choice(FLAGS if random.random() < 0.6 else random.choice(POOLS)), *words[at:]]


SPOILERS = [_value, _value, _value, _replaced, _dropped, _doubled, _swapped, _inserted]
