"""What the failures mean: judged by hand, each compared with the library's documentation and source."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch

from .row import Row


@dataclass(frozen=True)
class Finding:
    """A text about the failures of some models, shown if one of them fails so in the measurement.

    `models` is a shell pattern of library and name; `kinds` are those of failures.
    """

    title: str
    models: str
    kinds: tuple[str, ...]
    text: str

    def concerns(self, row: Row) -> bool:
        """Return whether this row has a failure of these kinds."""
        return fnmatch(f"{row.library} {row.name}", self.models) and any(
            failure.kind in self.kinds for failure in row.failures
        )


FINDINGS = (
    Finding(
        "river: `optim.FTRLProximal` predicts without the last gradient",
        "river *FTRLProximal*",
        ("theorem",),
        "Against the paper that its documentation cites (McMahan et al. 2013, Algorithm 1), where the weights of a "
        "round are computed from all gradients before it. In `optim/ftrl.py` the weights are computed before z and "
        "n receive the gradient of the round, so that they lack it until the next step. The script shows it: after "
        "one row with label 1 the prediction of the same row is still that of an intercept alone, and the weight "
        "moves one row too late. The arena's own learner `ftrl-proximal`, written from the paper, obeys the "
        "theorem. A bug, as far as we can see; in river's issues we found no report of it.",
    ),
    Finding(
        "river: `PARegressor` takes a label y as 2 y - 1",
        "river PARegressor*",
        ("theorem",),
        "Against the paper that its documentation cites (Crammer et al. 2006, Section 5). Its loss, "
        "`optim.losses.EpsilonInsensitiveHinge`, maps labels by `y_true * 2 - 1  # [0, 1] -> [-1, 1]`, as losses "
        "of classification do, while the direction of the step uses the label itself. The length of the step is "
        "therefore that for another label: the label -1 counts as -3, and only the label 1 is left as it is. The "
        "bounds of PA-I and PA-II are violated in two rounds. A bug, as far as we can see; in river's issues we "
        "found no report of it.",
    ),
    Finding(
        "reservoirpy: `RLS` with a bias is not recursive least squares",
        "reservoirpy RLS",
        ("theorem",),
        "The node is documented as recursive least squares, and `fit_bias=True` is its default. The weights move "
        'by recursive least squares, which holds without a bias (see the row "RLS without bias"), and the bias '
        "moves by a running mean of the errors, which is another algorithm: the two are not the least squares of "
        "weights and bias together. A constant feature of 1 and `fit_bias=False` give that. A limit of the "
        "implementation, which the documentation does not name; pull request 185 of reservoirpy brought the "
        "present equations.",
    ),
    Finding(
        "pyroomacoustics: `NLMS` divides by zero on silence",
        "pyroomacoustics NLMS",
        ("divergence", "forfeit"),
        "`adaptive.NLMS.update` divides by the power of the last samples without a small constant. A delay line of "
        "zeros, such as digital silence at the beginning of a recording, gives 0 / 0, and all weights stay NaN "
        "from then on. padasip, adafilt and adaptfilt add a constant there. A limit of the implementation, easily "
        "avoided by skipping silence.",
    ),
    Finding(
        "Vowpal Wabbit: a workspace cannot be copied",
        "vowpalwabbit *",
        ("check",),
        "The weights of a workspace are not in Python's memory, so neither `copy.deepcopy` nor `pickle` keeps "
        "them. The adapter trains a copy on all rounds again, which is slow and right. A property of the library, "
        "not a bug.",
    ),
    Finding(
        "Constant steps diverge on large features",
        "*",
        ("divergence",),
        "Gradient descent with a constant step eta multiplies its error by 1 - eta |x|^2 where a row comes again "
        "(twice that for the full squared loss), so that it diverges as soon as eta |x|^2 exceeds 2. This is "
        "textbook behaviour and no bug: the libraries' documentation asks for scaled features. Normalised steps "
        "(NLMS, passive-aggressive, Vowpal Wabbit's default), AdaGrad and recursive least squares do not have it. "
        "Whoever cannot bound the features should choose one of those, or clip.",
    ),
)
