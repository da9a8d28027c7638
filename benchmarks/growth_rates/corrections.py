"""The cells in which the measured law of growth differs from the theory's table, and the reasons."""

from __future__ import annotations

from growth_rates.rows import BOGD, BSGD_REMOVE, DUAL_SGD, FOGD, SVRG, Cell

CORRECTIONS: tuple[tuple[tuple[str, ...], str, str], ...] = (  # groups or rows, columns, the reason
    (
        ("exact", "kors", "sketched", "con"),
        "F4 F5",
        """log T is what the worst labels cost. Here the label of a point never changes, and at its n-th visit the
        regret grows by about 3 / n^2 only: `kernel-awv` pays 1.6 for each point in all, and the regret of the KONS
        family on one point even shrinks to zero, since the comparator is charged lambda |f|^2. Where the label changes
        at every visit, each of m points costs its log(1 + T / (m lambda)).""",
    ),
    (
        ("taylor",),
        "F8",
        """Fresh points do harm only where the features see them. Those of the Taylor series vanish far from the origin,
        so the learner predicts zero there, which is right.""",
    ),
    (
        ("pros",),
        "F4 F5",
        """J, not J log T: within an epoch, labels that do not change cost a constant for each point, so a restart costs
        C^2 for each of them and nothing else does. The cycle has five points: with 25, restarts come faster than the
        cycle is learnt again until T exceeds some thousands, and the exponent there is 0.75.""",
    ),
    (
        ("b-kons",),
        "F5",
        "There are at most J_max restarts at C^2 each; from then on it is KONS on one feature.",
    ),
    (
        ("ogd", "ogd, features"),
        "F1",
        """Linear at these horizons. The bound of gradient descent with this step is of the order of sqrt(T) |f|^2, and
        each fresh point adds to |f|^2 of the comparator: against `fgd` it is 21, 32 and 48 at T = 100, 200 and 400.""",
    ),
    (
        (FOGD,),
        "F8",
        """The features of the fresh points are not orthogonal to those of the anchor: their inner products have the
        variance 1 / (2 D), so that even the best linear function of D frequencies loses 1 / (10 D) a round, as PKAWV
        with the same features does.""",
    ),
    (
        (BOGD, "bsgd(budget=10)", BSGD_REMOVE, DUAL_SGD),
        "F2",
        """T mistakes are what the Perceptron's steps of constant length lead to. Steps of 1 / sqrt(T) and of 1 / t
        leave the prediction close to zero, and the loss close to that of the comparator. The constant of BOGD's root is
        about seventeen times that of gradient descent: what it removes by chance is noise.""",
    ),
    (
        (BOGD, BSGD_REMOVE, DUAL_SGD),
        "F5",
        """One point fills the whole budget with copies of itself. BOGD then removes one by chance in each round:
        unbiased but for the cap, yet the noise is a constant share of f, while the steps that repair it shrink like
        1 / sqrt(T). At T = 4,000 the prediction has the mean 0.6 and the spread 0.4, at 16,000 0.5 and 0.3 (without a
        cap the spread exceeds 4), so the share of the rounds that is lost still grows, hence exponents above 1. BSGD
        that removes is left with B atoms of weight 1 / (lambda t), which is nothing in the end; where it merges it
        adds the copies up and pays O(1). DualSGD minimises (lambda / 2) |f|^2 + mean loss: that penalty is charged in
        every round, the comparator's once, so it stays at 2 / (2 + lambda) = 2/3 and loses 1/9 a round.""",
    ),
    (
        ("projectron(budget=10)", "rbp(budget=10)", "forgetron(budget=10)"),
        "F8",
        """A label of zero is no class, so the fresh points fill no budget. With a class each of them is a mistake for
        every learner that has not seen it, with and without a budget.""",
    ),
    (
        (SVRG,),
        "F8",
        "Not in the theory's table. A label of zero moves nothing, so the anchor alone counts.",
    ),
)
CORRECTIONS = tuple((rows, columns, " ".join(text.split())) for rows, columns, text in CORRECTIONS)


def note_of(cell: Cell) -> int | None:
    """Return the number, from 1, of the correction that explains this cell; None if there is none."""
    for number, (rows, columns, _) in enumerate(CORRECTIONS, 1):
        if cell.column in columns.split() and (cell.row.group in rows or cell.row.label in rows):
            return number
    return None
