"""Modules of PyTorch equal a loop of steps with the library's own loss; skipped unless PyTorch is installed."""

import copy
import functools

import numpy as np
import pytest

from arena import ArenaError, play
from arena.learners.late_labels import LateLabels

torch = pytest.importorskip("torch")


def network(*, seed=0, optimizer=None):
    torch.manual_seed(seed)
    module = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    if optimizer is not None:
        module.optimizer = optimizer
    return module


def by_hand(module, run, optimizer, loss):
    module, predictions = copy.deepcopy(module), []
    steps = optimizer(module.parameters())
    for x, y in zip(run.points, run.labels, strict=True):
        answer = module(torch.tensor(x[None], dtype=torch.float32)).sum()
        predictions.append(answer.item())
        steps.zero_grad()
        loss(answer, y).backward()
        steps.step()
    return np.array(predictions)


@pytest.mark.parametrize(
    ("loss", "own"),
    [
        ("squared", lambda answer, y: (answer - y) ** 2),
        ("logistic", lambda answer, y: torch.nn.functional.softplus(-answer * y)),
    ],
)
@pytest.mark.parametrize("optimizer", [torch.optim.Adam, functools.partial(torch.optim.SGD, lr=0.3, momentum=0.5)])
def test_a_module_makes_one_step_a_round(loss, own, optimizer, match):
    module = network(optimizer=optimizer)
    run = match(module, loss=loss, prediction_bound=10)
    np.testing.assert_allclose(run.predictions, by_hand(module, run, optimizer, own), rtol=1e-4, atol=1e-5)
    assert np.ptp(run.predictions) > 0


def test_a_batch_is_one_step_on_the_mean_loss(match):
    module = network(optimizer=functools.partial(torch.optim.SGD, lr=0.3))
    run = match(LateLabels(of=module, delay=0, batch=8))
    by_hand, expected = copy.deepcopy(module), []
    steps = torch.optim.SGD(by_hand.parameters(), lr=0.3)
    for start in range(0, run.rounds, 8):
        answers = by_hand(torch.tensor(run.points[start : start + 8], dtype=torch.float32)).reshape(-1)
        expected += answers.tolist()
        steps.zero_grad()
        torch.nn.functional.mse_loss(
            answers, torch.tensor(run.labels[start : start + 8], dtype=torch.float32)
        ).backward()
        steps.step()
    np.testing.assert_allclose(run.predictions, expected, rtol=1e-4, atol=1e-5)
    assert np.ptp(run.predictions) > 0


def test_the_default_is_gradient_descent_and_the_given_module_stays_untrained(match):
    module = network()
    before = [weights.clone() for weights in module.parameters()]
    run = match(module)
    expected = by_hand(module, run, functools.partial(torch.optim.SGD, lr=0.01), lambda answer, y: (answer - y) ** 2)
    np.testing.assert_allclose(run.predictions, expected, rtol=1e-4, atol=1e-5)
    assert all(torch.equal(old, new) for old, new in zip(before, module.parameters(), strict=True))


def test_dropout_draws_from_the_match(match):
    module = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.Dropout(), torch.nn.Linear(8, 1))
    first, same, other = match(module), match(module), match(module, seed=4)
    np.testing.assert_array_equal(first.predictions, same.predictions)
    assert not np.array_equal(first.predictions, other.predictions)


def test_modules_that_cannot_play_say_why():
    with pytest.raises(ArenaError, match="Tanh has no parameters, so it cannot learn"):
        play(torch.nn.Tanh(), "alternating", rounds=2)
    run = play(torch.nn.Linear(2, 3), "alternating", rounds=2)
    assert "a tensor of shape (1, 3)" in str(run.forfeit)
