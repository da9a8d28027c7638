"""Each test function in the documentation's examples fails when a mistake is planted in its model."""

import re
import shlex

import pytest

from arena_tests import FULL
from arena_tests.pages import ROOT, blocks

WITHOUT_FEATURES = """
from sklearn.linear_model import SGDClassifier, SGDRegressor
from river.linear_model import LinearRegression


def blind(learn):
    return lambda self, X, y, **more: learn(self, 0 * X if hasattr(X, "shape") else dict.fromkeys(X, 0.0), y, **more)


for kind in (SGDClassifier, SGDRegressor):
    kind.partial_fit = blind(kind.partial_fit)
LinearRegression.learn_one = blind(LinearRegression.learn_one)
"""
FLIPPED = """
from sklearn.linear_model import SGDRegressor
from river.linear_model import LinearRegression

one, other = SGDRegressor.partial_fit, LinearRegression.learn_one
SGDRegressor.partial_fit = lambda self, X, y, **more: one(self, X, -y, **more)
LinearRegression.learn_one = lambda self, x, y, **more: other(self, x, -y, **more)
"""
EXPLODES = """
from river.linear_model import LinearRegression

right = LinearRegression.predict_one
LinearRegression.predict_one = lambda self, x: 1e4 * right(self, x)
"""
IMPURE = (
    FLIPPED
    + """
import random

SGDRegressor.predict = lambda self, X, right=SGDRegressor.predict: right(self, X) + random.random()
"""
)
UNTAUGHT = """
from arena.specs import registry

for kind in (registry.find("learner", name) for name in ("krr", "kernel-awv", "clipped-krr", "pkawv-kors", "fgd")):
    kind.peek = lambda self, X: 0.0 * X[:, 0] + 3.0
    kind.predict = lambda self, x: 3.0
    kind.replay = lambda self, X, y: 0.0 * X[:, 0] + 3.0
"""
PLANTED = {  # page: {file: a mistake, as the text of conftest.py}
    "docs/testing-model.md": {
        "test_model.py": WITHOUT_FEATURES,
        "test_model_on_data.py": WITHOUT_FEATURES,
        "test_promises_of_model.py": FLIPPED,
        "test_contract_of_model.py": IMPURE,
        "test_model_hunted.py": EXPLODES,
    },
    "docs/testing-theorem.md": dict.fromkeys(("test_theorem.py", "test_hunt.py", "test_growth.py"), UNTAUGHT),
    "docs/comparators.md": {"test_compared.py": UNTAUGHT},
    "docs/five-minutes.md": {
        "test_first.py": UNTAUGHT + "import mine\nmine.LastLabel.update = lambda self, x, y: None\n"
    },
    "README.md": {"test_mine.py": UNTAUGHT + "import mine\nmine.RunningMean.update = lambda self, x, y: None\n"},
}
QUICK = ("test_model.py", "test_first.py")
CASES = [(page, file) for page, files in PLANTED.items() for file in files if FULL or file in QUICK]


@pytest.mark.parametrize(("page", "file"), CASES)
def test_a_planted_mistake_makes_each_example_fail(page, file, tmp_path, python):
    for _, text, name in blocks(ROOT / page, "python"):
        if name:
            (tmp_path / name).write_text(text)
    (tmp_path / "conftest.py").write_text("import sys; sys.path.insert(0, '.')\n" + PLANTED[page][file])
    words = shlex.split("-m pytest -rf -q -p no:cacheprovider -c /dev/null --rootdir . --arena-shrinking=0")
    done = python(*words, "--arena-failures=none", file, cwd=tmp_path)
    failed = set(re.findall(rf"^FAILED {file}::(\w+)", done.stdout, re.MULTILINE))
    assert failed == set(re.findall(r"^def (test_\w+)", (tmp_path / file).read_text(), re.MULTILINE)), done.stdout


def test_the_measured_regrets_are_those_of_the_page(arena):
    shown = re.findall(
        r"^\$ (arena play .*)\n\s+regret\s+(\S+)", (ROOT / "docs/testing-model.md").read_text(), re.MULTILINE
    )
    assert len(shown) == 2
    for command, regret in shown:
        printed = re.search(r"^\s+regret\s+(\S+)", arena(*shlex.split(command)[1:]).output, re.MULTILINE)
        assert float(printed[1]) == pytest.approx(float(regret), rel=0.01)


def test_the_first_result_of_the_readme_is_what_the_command_prints(arena):
    block = re.search(r"^\$ (arena play .*)\n((?:.*\n)*?)```", (ROOT / "README.md").read_text(), re.MULTILINE)
    printed = arena(*shlex.split(block[1])[1:]).output
    without_numbers = {re.sub(r"\d[\d.]*", "#", line.strip(" ✔✓")) for line in printed.splitlines()}
    shown = [line.strip(" ✔✓") for line in block[2].splitlines() if line.strip(" .")]
    assert len(shown) == 6
    assert {re.sub(r"\d[\d.]*", "#", line) for line in shown} <= without_numbers
    for what in ("loss", "regret"):
        numbers = [re.search(rf"^\s+{what}\s+(\S+)", text, re.MULTILINE)[1] for text in (block[2], printed)]
        assert float(numbers[0]) == pytest.approx(float(numbers[1]), rel=0.01)
