"""A function that makes a model, or a function of a point, is a learner everywhere, named by its address."""

import functools

import numpy as np
import pytest

from arena import Game, Transcript, play, play_series
from arena.comparators.models import Baseline, FixedModels
from arena.counterexamples.failures import Failures
from arena.counterexamples.reproduction import promote, why_no_test
from arena.counterexamples.shrinking_and_keeping import shrink_and_keep
from arena.engine.isolation import Isolation
from arena.errors import ArenaError
from arena.hunt import hunt
from arena.learners.late_labels import LateLabels
from arena.players.rebuilt import begun
from arena.record.commands import play_command
from arena.specs.building import build
from arena.specs.variants import free_parameters
from arena.testing import assert_growth, assert_no_violation, assert_regret, parametrize_with_checks
from arena.testing.stateful import learner_machine
from arena.tournament.plan import Tournament


def factory():
    """Return a new Kernel-AWV; the tests use this function as a learner."""
    return build("learner", "kernel-awv")


def rule(x):
    return 0.25 * float(x[0])


def two(x, y):
    return x + y


def against_zero(comparator):
    found = play("zero", "alternating", rounds=4).regret_to(comparator)
    if found.unknown:
        raise ArenaError(found.unknown)
    return found


ENTRIES = {
    "play": lambda given: play(given, "alternating", rounds=4),
    "play isolated": lambda given: play(given, "alternating", rounds=4, isolate=True),
    "play_series": lambda given: play_series(given, "repeated", seeds=2, rounds=4, workers=1),
    "Tournament": lambda given: Tournament([given], ["repeated"], [{"rounds": 4}]).run(workers=0),
    "assert_regret": lambda given: assert_regret(given, "alternating", rounds=4, at_most=50.0),
    "assert_regret over seeds": lambda given: assert_regret(given, "repeated", rounds=4, at_most=50.0, seeds=2),
    "assert_growth": lambda given: assert_growth(given, "alternating", rounds=512, at_most="linear"),
    "assert_no_violation": lambda given: assert_no_violation(
        given, theorem="at-most(regret=50)", matches=3, rounds=4, workers=0),
    "hunt": lambda given: hunt(given, "at-most(regret=50)", matches=3, rounds=4, workers=0),
    "learner_machine": lambda given: learner_machine(given, theorem="at-most(regret=50)"),
    "baseline": lambda given: against_zero(Baseline(given)),
    "fixed-models": lambda given: against_zero(FixedModels([given])),
    "late-labels": lambda given: play(LateLabels(of=given), "alternating", rounds=4),
    "the model of an adversary": lambda given: begun(given, Game(), np.random.default_rng(0)).predict(np.zeros(2)),
}  # fmt: skip
GIVEN = {
    "factory": factory,
    "rule": rule,
    "lambda:": lambda: factory(),
    "lambda x:": lambda x: 0.5 * float(x[0]),
    "partial": functools.partial(factory),
}


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("given", GIVEN)
def test_every_entry_takes_factories_and_rules(entry, given):
    found = ENTRIES[entry](GIVEN[given])
    if isinstance(found, Transcript) and entry != "late-labels":
        assert found.learner.endswith(f":{given}") == (given in ("factory", "rule"))


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_refuses_a_function_of_two_arguments_in_words(entry):
    with pytest.raises(ArenaError, match="argument"):
        ENTRIES[entry](two)


@pytest.mark.parametrize("given", GIVEN)
def test_checks_are_made_of_factories_and_rules(given):
    checks = parametrize_with_checks([GIVEN[given], two]).args[1]
    assert len(checks) > 10
    assert str(checks[-1]).endswith("can-be-made")  # fails when its test runs, so that the others can run
    checks[0]()


MODELS = """
from sklearn.linear_model import SGDRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

def model():
    return SGDRegressor(random_state=0)

def piped(factor=2.0):
    return make_pipeline(FunctionTransformer(lambda X: factor * X), SGDRegressor(eta0=0.05, random_state=0))

class Shop:
    @classmethod
    def model(cls):
        return SGDRegressor(random_state=0)

def rule(x):
    return 0.9

def level():
    from arena.learners.ridge import KRR
    return KRR(regularisation=3.0)
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.py").write_text(MODELS)
    return tmp_path / "models.py"


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("name", ["model", "piped", "piped(factor=3)", "Shop.model", "rule", "level"])
def test_the_address_of_a_function_stays_the_learners_name(name):
    spec = f"./models.py:{name}"
    run = play(spec, "greedy", rounds=5)
    assert run.learner == spec
    assert f"arena play {spec.partition('(')[0]}" in play_command(run).replace("'", "")
    assert play(spec, "alternating", rounds=5, isolate=Isolation(bubblewrap=name == "model")).learner == spec
    plan = Tournament([spec], ["repeated"], [{"rounds": 4}], isolate=False)
    assert [match.names[0] for match in plan.matches] == [spec]


@pytest.mark.usefixtures("models")
def test_a_functions_object_is_named_like_its_address():
    run = play(_loaded("piped"), "greedy", rounds=5)
    assert run.learner == "./models.py:piped"
    assert play(run.learner, "greedy", rounds=5).predictions.tolist() == run.predictions.tolist()


def _loaded(name):
    from arena.specs import registry

    return registry.find("learner", f"./models.py:{name}")


@pytest.mark.usefixtures("models")
def test_what_a_factory_chose_is_not_varied():
    built = build("learner", "./models.py:level")
    assert "regularisation" not in free_parameters("./models.py:level", built)


def test_a_kept_failure_is_replayed_with_the_current_model_and_forgotten_once_that_is_mended(models):
    spec, store = "./models.py:piped", Failures(models.parent / "kept")
    bound = "at-most(regret=5)"
    run = play(spec, "greedy", rounds=10)
    kept = shrink_and_keep(spec, run, bound, budget=0.5, store=store)
    assert kept.failure.learner == spec
    (path,) = promote(kept.shrunk, kept.failure.id, models.parent)
    assert f'assert_regret("{spec}"' in path.read_text()
    assert store.replay_first(spec)[0].fails
    assert store.replay_first(_loaded("piped"))[0].fails
    models.write_text(
        MODELS.replace("def piped(factor=2.0):", "def piped():\n    return lambda x: 0.0\n\ndef old(factor=2.0):")
    )
    assert not store.replay_first(spec)[0].fails
    assert store.kept() == []


@pytest.mark.usefixtures("models")
def test_an_object_that_cannot_be_named_gets_the_remedy_and_no_promise_of_a_test():
    run = play(_loaded("piped")(), "greedy", rounds=10)
    assert "pass the function that makes it" in run.header["learner_unnamed"]
    kept = shrink_and_keep(_loaded("piped")(), run, "at-most(regret=0.5)", budget=0.5)
    assert "a test must make its learner anew" in why_no_test(kept.shrunk)
    with pytest.raises(AssertionError) as failed:
        assert_regret(_loaded("piped")(), "greedy", rounds=10, at_most=0.5)
    assert "promote" not in str(failed.value)
