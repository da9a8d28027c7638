"""Misspelt names of learners, of other libraries' models and of files get a hint; `show` lists promises of models."""

import pytest

MINE = """
from sklearn.linear_model import SGDRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.pipeline import make_pipeline

class Recursive:
    def predict(self, x):
        return 0.0
    def update(self, x, y):
        pass

def price():
    return SGDRegressor(random_state=0)

def scaled():
    return make_pipeline(StandardScaler(), SGDRegressor())
"""


def test_show_ignores_the_case_of_letters(arena):
    assert arena("show", "RLS").output == arena("show", "rls").output
    assert arena("show", "RLS-Identity").output.startswith("rls-identity: theorem")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["play", "RLS", "greedy"], "Did you mean 'rls'?"),
        (["play", "krr", "Greedy"], "Did you mean 'greedy'?"),
        (["play", "krr", "greedy", "--bound", "AWV-logdet"], "Did you mean 'awv-logdet'?"),
        (["play", "SGDRegressor", "greedy"], "Did you mean sklearn:linear_model.SGDRegressor?"),
        (["show", "PARegressor"], "Did you mean river:linear_model.PARegressor?"),
    ],
)
def test_a_misspelt_name_gets_the_one_that_was_meant(arena, words, offered):
    result = arena(*words)
    assert result.exit_code == 2
    assert offered in " ".join(result.output.split())
    assert len(result.output) < 300


def test_a_misspelt_name_in_a_file_gets_what_the_file_defines(arena, write):
    result = arena("play", write("mine.py", MINE) + ":Xyz", "greedy")
    assert "There are: Recursive, price, scaled." in result.output


def test_show_prints_what_a_model_promises_and_what_a_function_makes(arena, write):
    assert "  sgd-scikit-learn" in arena("show", "sklearn:linear_model.SGDRegressor").output
    path = write("mine.py", MINE)
    made = arena("show", f"{path}:price").output
    assert "  sgd-scikit-learn" in made
    assert "makes      sklearn:linear_model.SGDRegressor(random_state=0)" in made
    assert "makes      sklearn:pipeline.Pipeline(" in arena("show", f"{path}:scaled").output
    own = arena("show", f"{path}:Recursive").output
    assert "It promises none. --bound NAME holds it against one" in own
