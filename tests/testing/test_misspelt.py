"""The message about a misspelt argument of an assertion has the right spelling."""

import pytest

from arena import ArenaError, play
from arena.testing import assert_growth, assert_no_violation, assert_regret


class KeepsRateUnderAnotherName:
    def __init__(self, rate=0.5):
        self.step = rate
        self.value = 0.0

    def predict(self, x):
        return self.value

    def update(self, x, y):
        self.value += self.step * (y - self.value)


class PromisesText:
    theorems = "awv-logdet"

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        pass


@pytest.mark.parametrize(
    ("assertion", "options", "wanted"),
    [
        (assert_regret, {"atmost": 10}, "assert_regret has no argument 'atmost', .* Did you mean 'at_most'?"),
        (assert_no_violation, {"theorm": "ogd"}, "assert_no_violation has no argument 'theorm', .*'theorem'"),
        (assert_growth, {"dimensoin": 2}, "assert_growth has no argument 'dimensoin', .*'dimension'"),
    ],
)
def test_a_misspelt_argument(assertion, options, wanted):
    with pytest.raises(ArenaError, match=wanted):
        assertion("krr", **options)


def test_theorems_given_as_a_text():
    with pytest.raises(ArenaError, match=r"must be a tuple of theorems, such as \('awv-logdet',\), but it is"):
        assert_no_violation(PromisesText())


@pytest.mark.parametrize("library", ["sklearn.pipeline", "river.compose"])
def test_a_pipeline_without_steps(library):
    module = pytest.importorskip(library)
    empty = module.Pipeline([]) if library.startswith("sklearn") else module.Pipeline()
    with pytest.raises(ArenaError, match="the pipeline has no steps: its last step must be a model, such as"):
        play(empty, "alternating", rounds=2)


def test_an_object_that_no_spec_names_is_named_by_its_class_with_the_reason():
    with pytest.raises(AssertionError) as failed:
        assert_regret(KeepsRateUnderAnotherName(), "alternating", rounds=20, at_most=0.1)
    message = str(failed.value)
    assert message.startswith("<KeepsRateUnderAnotherName> against alternating")
    assert "does not keep its parameter 'rate' as an attribute: write self.rate = rate, or pass the function" in message
