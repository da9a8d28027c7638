"""Parts of which several learners are built, so that a learner's file reads like its paper's algorithm box.

May call `players` and the rooms below it.

Base classes of learners:

- `base_classes`: learners whose decisions depend on all earlier predictions, and learners that need the whole sequence
  beforehand

Functions in an RKHS:

- `kernel_sums`: sums of kernels, f = sum_s a_s k(x_s, .), with or without a limit of the number of atoms
- `merging`: replaces two atoms of a Gaussian kernel sum by the best single atom
- `two_spaces`: functions made of a few atoms and of random Fourier features
- `span`: coordinates in the span of a growing dictionary, and functions in that span

Linear learners on features (from `arena.components.features`, or coordinates in a span):

- `linear_ridge`: exact ridge regression, in memory O(r^2) for r features
- `gradient_descent`: gradient descent with constant steps, and the default step size
- `newton`: online Newton steps in R^r and in an RKHS, and their default step size

Choosing a dictionary:

- `kors`: sampling points by their leverage
- `weighted_points`: the variance of ridge regression on weighted points, from which leverages are computed

The value of a game:

- `one_point`: the least regret that a learner can ensure if all points are equal and every label is B or -B

Long matches:

- `long_sequences`: predictions of exact learners on long sequences, through features

Evidence:

- `evidence_log`: records arrays for a learner's theorems while the learner plays

Ridge regression in an RKHS is in `arena.linalg.posterior`, because the comparator in hindsight needs it as well.
"""
