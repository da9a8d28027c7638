"""Texts that explain failures of models; each was compared by hand with the library's documentation and source."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch

from .row import Row


@dataclass(frozen=True)
class Finding:
    """An explanation of failures of some models; the page shows it only if one of these models has such a failure.

    `models` is a shell pattern for library and name. `kinds` are kinds of failures; if it is empty, the explanation is
    shown whenever one of the models was measured. `script` is code that shows what the failing sequences do not show.
    """

    title: str
    models: str
    kinds: tuple[str, ...]
    text: str
    script: str = ""

    def concerns(self, row: Row) -> bool:
        """Return whether this row belongs to one of the models, was measured, and has a failure of one of the `kinds`.

        If `kinds` is empty, the row need not have a failure.
        """
        if row.error or not fnmatch(f"{row.library} {row.name}", self.models):
            return False
        return not self.kinds or any(failure.kind in self.kinds for failure in row.failures)


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
        "reservoirpy: `RLS` with a bias does not find the least squares",
        "reservoirpy RLS",
        (),
        "The node is documented as recursive least squares, which learns a bias along with the weights, and "
        '`fit_bias=True` is its default. The weights move by recursive least squares, which the row "RLS without '
        'bias" obeys exactly. The bias moves by a running mean of the errors beside it. The two together are not the '
        "least squares of weights and bias: where the features are not centred, they stop elsewhere. With 2,000 rows "
        "without noise, y = 1 + 2 x and x in [1, 2], the node ends at 1.4 x + 1.9. A constant feature of 1 with "
        "`fit_bias=False` ends at the right line. Pull request 185 of reservoirpy brought the present equations; we "
        "found no issue about the bias.",
        """\
# reservoirpy 0.4.2: the line 1 + 2 x, without noise
import numpy as np
from reservoirpy.nodes import RLS

x = np.random.default_rng(0).uniform(1, 2, (2000, 1))
y = 1 + 2 * x
node = RLS()
node.partial_fit(x, y)
print("with a bias:", node.Wout.ravel(), node.bias.ravel())
constant = RLS(fit_bias=False)
constant.partial_fit(np.hstack([x, np.ones_like(x)]), y)
print("with a constant feature:", constant.Wout.ravel())
""",
    ),
    Finding(
        "padasip: `FilterOCNLMS` centres by about half of the mean, and its `predict` changes it",
        "padasip FilterOCNLMS",
        (),
        'The filter subtracts the mean of the last features and targets, to be "independent of the nonzero mean value '
        'of signal" (its documentation). Its `read_memory` moves on the index of the memory, and `adapt` calls it '
        "twice, in `predict` and in `learning_rule`. Every second place of the memory therefore stays zero, and the "
        "mean comes out at about half. Since `predict` moves the index, too, asking twice gives two answers, and a "
        "prediction changes what is learned: the check `predict-is-pure` fails, and the matches end as forfeits. A "
        "bug, as far as we can see; in padasip's issues we found no report of it.",
        """\
# padasip 1.2.2: the same row fifty times
import numpy as np
from padasip.filters import FilterOCNLMS

x = np.array([10.0])
model = FilterOCNLMS(n=1, mem=100, w="zeros")
for _ in range(50):
    model.adapt(5.0, x)
print("memory of features:", model.mem_x[:8, 0])
print("their mean:", model.read_memory()[1])
print("two predictions:", model.predict(x), model.predict(x))
""",
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
        "textbook behaviour and no bug: the documentation of scikit-learn and river asks for scaled features, and that "
        "of padasip gives this very condition for the step. Normalised steps (NLMS, passive-aggressive, Vowpal "
        "Wabbit's default), AdaGrad and recursive least squares do not have it. If the features cannot be bounded, "
        "choose one of those, or clip.",
    ),
)
