"""The parts that learners are built of, so that a learner's file reads like its paper's algorithm box.

May call `players` and the rooms below it.

Base classes of learners:

- `base_classes`: learners whose every decision depends on the predictions before it, and learners that know the whole
  sequence beforehand

Functions in an RKHS:

- `kernel_sums`: sums of kernels, f = sum_s a_s k(x_s, .), which grow freely or within a budget of atoms
- `merging`: the best single atom for two of a Gaussian sum
- `two_spaces`: few atoms, and random Fourier features for the rest
- `span`: coordinates in the span of a growing dictionary, and functions in it

Linear learners on features (those of `arena.components.features`, or coordinates in a span):

- `linear_ridge`: exact ridge regression, in memory O(r^2)
- `gradient_descent`: constant steps, and their default size
- `newton`: online Newton steps in R^r and in an RKHS, and their default size

Choosing a dictionary:

- `kors`: sampling points by their leverage
- `weighted_points`: what weighted points leave unexplained of any other point

Evidence:

- `evidence_log`: what a learner records for its theorems while it plays

Ridge regression in an RKHS stands in `arena.linalg.posterior`, because the comparator in hindsight needs it as well.
"""
