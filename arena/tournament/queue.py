"""The order in which matches are played: the longest first, so that no worker is left with a long match at the end."""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Iterator, Sequence

from arena.tournament.costs import Costs
from arena.tournament.plan import PlannedMatch

GROWTH = 1.25  # the order is computed again when the number of finished matches has grown by this factor


class Queue:
    """Iterator over `numbers`, which are positions in `matches`; the match that should take longest comes first.

    `costs` predicts the time of a match from finished matches. Matches with the same learner, adversary and number of
    rounds keep the order of `numbers` or, with `shuffled`, come in random order.
    """

    def __init__(
        self, matches: Sequence[PlannedMatch], numbers: Sequence[int], costs: Costs, *, shuffled: bool = False
    ):
        self._costs = costs
        self._groups: dict[tuple[str, str, int], deque[int]] = {}
        for number in numbers:
            match = matches[number]
            group = (match.learner, match.adversary, match.game.rounds)
            self._groups.setdefault(group, deque()).append(number)
        for group, waiting in self._groups.items() if shuffled else ():
            self._groups[group] = deque(random.Random(os.getpid()).sample(waiting, len(waiting)))
        self._order: list[tuple[str, str, int]] = []
        self._learnt = -1

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if self._learnt < 0 or self._costs.learnt > GROWTH * self._learnt:
            self._order = sorted(self._groups, key=lambda group: self._costs.seconds(*group), reverse=True)
            self._order.reverse()  # since items are taken from the end
            self._learnt = self._costs.learnt
        while self._order and not self._groups[self._order[-1]]:
            del self._groups[self._order.pop()]
        if not self._order:
            raise StopIteration
        return self._groups[self._order[-1]].popleft()

    @property
    def seconds(self) -> float:
        """The sum of the predicted seconds of the matches that the iterator has not yet returned."""
        return sum(len(numbers) * self._costs.seconds(*group) for group, numbers in self._groups.items())
