"""Measurement of one cell of the table of growth rates, by matches of several horizons."""

from __future__ import annotations

import numpy as np

from arena import play
from arena.arrays import Array
from arena.game.kernels import Gaussian
from arena.players.moves import GivenMoves
from growth_rates.laws import Measured
from growth_rates.rows import FULL, SHORT, Cell, Row
from growth_rates.sequences import SEQUENCES, best_in_hindsight

GREEDY_FULL = 1_200


def measure(cell: Cell, *, full: bool = False) -> Measured:
    """Play the matches of a cell; return the regrets, or numbers of mistakes, with the cell's law.

    With `full` the matches are as long as for the page docs/results/growth.md.
    """
    row, column = cell.row, cell.column
    if column == "F1":
        horizons = (GREEDY_FULL if full else row.short_greedy) // np.array([2, 1])
        return Measured(horizons, greedy(row, horizons), cell.law)
    longest = row.full.get(column, FULL) if full else row.short.get(column, SHORT)
    horizons = longest // np.array([8, 4, 2, 1])
    values = [np.mean([played(row, column, T, seed) for seed in range(row.seeds)]) for T in horizons.tolist()]
    return Measured(horizons, np.array(values), cell.law)


def played(row: Row, column: str, rounds: int, seed: int) -> float:
    """Return the regret, or the number of mistakes, of one match."""
    sequence = SEQUENCES[row.sequences.get(column, column)]
    X, y = sequence.moves(rounds)
    game = sequence.game.replace(rounds=rounds, loss=row.loss)
    run = play(row.spec, GivenMoves(X, y), game=game, seed=seed, hindsight="none")
    if run.forfeit:
        raise RuntimeError(str(run.forfeit))
    if row.counts == "mistakes":
        if "mistake_rounds" in run.evidence:
            return float(run.evidence["mistake_rounds"].size)
        return float(np.count_nonzero((y != 0) & (np.sign(y) * run.predictions <= 0)))
    return run.loss - best_in_hindsight(column, game, X, y)


def greedy(row: Row, horizons: Array) -> Array:
    """Return the regret at each of the horizons in one match against greedy.

    The regret is also returned for rows that count mistakes in other columns.
    """
    run = play(row.spec, "greedy(starts=64, polished=0)", rounds=int(horizons[-1]), kernel=Gaussian(0.3))
    if run.forfeit or run.regret is None:
        raise RuntimeError(f"{row.spec}: {run.forfeit}")
    return np.asarray(run.regret[horizons - 1])
