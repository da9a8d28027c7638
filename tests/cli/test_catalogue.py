"""The commands `arena`, `arena list` and `arena show`."""

import json

import pytest

from arena.papers.errata import ERRATA
from arena.specs import registry


def test_the_help_cuts_no_sentence_off(arena):
    for words in ([], ["new"], ["failures"], ["reproduce"]):
        _, _, commands = arena(*words, "--help").output.partition("Commands:")
        assert commands
        assert "..." not in commands


def test_without_arguments_it_prints_what_to_type_first(arena):
    result = arena()
    assert result.exit_code == 0
    first = next(line.strip() for line in result.output.splitlines() if line.strip().startswith("arena "))
    assert arena(*first.split()[1:]).exit_code == 0


@pytest.mark.parametrize("kind", list(registry.KINDS))
def test_list_names_everything(arena, kind):
    plural = registry.KINDS[kind].plural
    listed = json.loads(arena("list", plural, "--json").output)
    assert {row["name"] for row in listed} == set(registry.entries(kind))
    text = arena("list", plural).output
    assert all(row["name"] in text for row in listed)
    assert all(row["about"] for row in listed)


def test_list_learners_has_family_paper_and_cost(arena):
    text = arena("list", "learners").output
    for row in json.loads(arena("list", "learners", "--json").output):
        assert row["family"] in text
        assert row["family"]
        assert row["cost"]
        assert "paper" in row


@pytest.mark.parametrize("kind", list(registry.KINDS))
def test_show_explains_everything(arena, kind):
    for name in registry.entries(kind):
        result = arena("show", name)
        assert result.exit_code == 0, (name, result.output)
        described = json.loads(arena("show", name, "--json").output)
        described = described if isinstance(described, list) else [described]
        mine = next(each for each in described if each["kind"] == kind)
        assert mine["about"]
        assert all(each["about"] for each in mine["parameters"]), name
        if kind == "theorem":
            assert mine["statement"]
            assert mine["paper"]


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.name)
def test_show_a_printed_statement_says_how_serious_it_is_and_what_it_assumes(arena, erratum):
    described = json.loads(arena("show", erratum.name, "--json").output)
    assert described["holds"] == "not as printed"
    assert described["erratum"].startswith(f"{erratum.seriousness} ({erratum.place}): ")
    assert described["assumes"] == [each.statement for each in erratum.judged().premises]
    assert " ".join(described["erratum"].split()) in " ".join(arena("show", erratum.name).output.split())
    assert not json.loads(arena("show", erratum.corrected, "--json").output)["erratum"]


@pytest.mark.parametrize("theorems", ["('ogd', 'ogd-any-loss(rate=0.1)')", "['ogd', 'ogd-any-loss(rate=0.1)']"])
def test_show_a_class_that_promises_theorems_by_name(arena, write, theorems):
    path = write("mine.py", f"class Mine:\n    theorems = {theorems}\n    def predict(self, x): return 0.0\n"
                            "    def update(self, x, y): pass\n")  # fmt: skip
    found = json.loads(arena("show", f"{path}:Mine", "--json").output)
    assert [each["name"] for each in found["theorems"]] == ["ogd", "ogd-any-loss(rate=0.1)"]


def test_show_says_that_promises_are_a_tuple(arena, write):
    path = write("mine.py", "class Mine:\n    theorems = 'ogd'\n    def predict(self, x): return 0.0\n"
                            "    def update(self, x, y): pass\n")  # fmt: skip
    result = arena("show", f"{path}:Mine")
    assert result.exit_code == 2
    assert "a learner's `theorems` must be a tuple of theorems" in result.output


def test_show_a_class_in_a_file(arena, write):
    path = write(
        "mine.py",
        'class Mine:\n    """Learns nothing."""\n    def __init__(self, rate=0.5): self.rate = rate\n'
        "    def predict(self, x): return 0.0\n    def update(self, x, y): pass\n",
    )
    result = arena("show", f"{path}:Mine")
    assert "Learns nothing." in result.output
    assert "rate = 0.5" in result.output


def test_show_a_default_that_a_factory_makes(arena, write):
    path = write(
        "mine.py",
        "from dataclasses import dataclass, field\nfrom arena import Learner\n\n@dataclass\nclass Mine(Learner):\n"
        "    rates: list[float] = field(default_factory=lambda: [0.1, 0.2])\n"
        "    def predict(self, x): return 0.0\n    def update(self, x, y): pass\n",
    )
    assert "\n  rates = [0.1, 0.2] (" in arena("show", f"{path}:Mine").output


def test_show_a_learner_marks_which_promises_apply_and_which_can_fail(arena):
    text = arena("show", "pros-n-kons").output
    _, _, after = text.partition("  kors-size(")
    assert "at its defaults: never applies: beta >= 3 log(T/delta) / epsilon^2 (1 of" in after
    described = json.loads(arena("show", "perceptron", "--json").output)
    assert (
        "an identity"
        in next(each for each in described["theorems"] if each["name"] == "perceptron-mistakes")["at_defaults"]
    )


def test_list_learners_marks_promises_that_never_apply(arena):
    rows = {row["name"]: row["promises"] for row in json.loads(arena("list", "learners", "--json").output)}
    assert "never applies: kors-accuracy, kors-overestimation, kors-projection, kors-size" in rows["con-kons"]
    assert rows["kernel-awv"] == "its 4 promises can fail at the defaults"
    assert "cannot fail: perceptron-mistakes" in rows["perceptron"]
    assert rows["zero"] == ""


def test_list_is_a_table_that_fits_80_columns(arena):
    lines = arena("list").output.splitlines()
    assert max(map(len, lines)) == 80
    rows = {line.split()[0]: line for line in lines if line.startswith("  ")}
    assert set(rows) >= {name for kind in registry.KINDS for name in registry.entries(kind)}
    assert rows["perceptron"].endswith("  1 of 2")
    assert not rows["zero"].endswith("of 0")
    assert lines[-1].startswith("Details: arena show ")


def test_lower_bounds_are_listed_with_their_kind_and_shown_with_their_adversary(arena):
    listed = json.loads(arena("list", "lower-bounds", "--json").output)
    assert {row["kind"] for row in listed} == {"lower bound"}
    names = {row["name"] for row in listed}
    theorems = {row["name"]: row["kind"] for row in json.loads(arena("list", "theorems", "--json").output)}
    assert names == {name for name, kind in theorems.items() if kind == "lower bound"}
    assert "one-point" in names
    assert "\nlower bounds\n  one-point: " in arena("show", "minimax").output
    shown = arena("show", "one-point").output
    assert shown.startswith("one-point: lower bound")
    assert "promised by\n  minimax" in shown


def test_show_explains_the_letters_of_a_statement(arena):
    output = arena("show", "awv-effective-dimension").output
    explained = output.partition("statement")[2].partition("holds")[0]
    assert "R_lambda regret to the best function f in hindsight" in explained
    assert "d_eff    effective dimension" in explained
    assert "g_t" not in explained


@pytest.mark.parametrize(
    ("theorem", "meaning"),
    [
        ("pa-steps", "C        the parameter aggressiveness, of pa-1 and pa-2"),
        ("forgetron-identity", "B        the parameter budget, the largest number of atoms"),
        ("dual-svrg-oracle", "B        the parameter budget"),
        ("clipped-krr", "C        the game's bound on predictions (--prediction-bound)"),
    ],
)
def test_show_explains_letters_that_are_parameters_of_the_theorem(arena, theorem, meaning):
    assert f"    {meaning}\n" in arena("show", theorem).output


def test_show_prints_the_summary_of_a_model_of_another_library(arena):
    pytest.importorskip("sklearn")
    output = arena("show", "sklearn:linear_model.SGDRegressor").output
    assert "Linear model fitted by minimizing a regularized empirical loss with SGD." in output
    assert "Stochastic Gradient Descent" not in output


def test_show_lists_the_promises_of_models_of_libraries(arena, write):
    pytest.importorskip("sklearn")
    assert "sgd-scikit-learn(" in arena("show", "sklearn:linear_model.SGDRegressor").output
    write(
        "models.py",
        "from sklearn.linear_model import SGDRegressor\n\ndef price():\n    return SGDRegressor(eta0=0.5)\n",
    )
    assert "sgd-scikit-learn(" in arena("show", "./models.py:price").output
    assert "It promises none." in arena("show", "sklearn:neural_network.MLPRegressor").output
