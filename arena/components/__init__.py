"""The parts that learners are built of, so that a learner's file reads like its paper's algorithm box.

May call `players` and the rooms below it.

Sums of kernels, f = sum_s a_s k(x_s, .):

- `expansion`: a sum that grows; a point that comes again shares its atom
- `budget`: a sum of few atoms, each in a place of its own that can be freed and taken again
- `merging`: the best single atom for two of a Gaussian sum
- `removals`: the record of what keeping a budget took out
- `span_function`: a function in the span of few atoms, onto which others are projected
- `dual_function`: few atoms and random Fourier features for the rest
- `dual_vectors`: four functions of that kind over the same atoms, as variance reduction needs them
- `transformer_oracles`: which points stay as atoms and which move to Fourier features

Linear learners on features (those of `arena.components.features`, or coordinates in a span):

- `linear_ridge`: exact ridge regression, in memory O(r^2)
- `linear_descent`: gradient descent
- `newton`: online Newton steps in R^r
- `kernel_newton`: online Newton steps in an RKHS, in kernel form
- `newton_steps`: how large these steps are

Dictionaries, the points that span the functions of a learner:

- `span`: coordinates in the span of a growing dictionary
- `joining`: the same for a block of rounds whose own points join
- `weighted_points`: what weighted points explain of any other point
- `kors`: sampling points by their leverage
- `growing_table`: a matrix that grows by rows and by columns

Base classes of learners:

- `sequential`: those whose every decision depends on the predictions before it
- `whole_sequence`: those that know the whole sequence beforehand

Ridge regression in an RKHS stands in `arena.linalg.posterior`, because the comparator in hindsight needs it as well.
"""
