"""Which checks there are, in the order in which they are made and told."""

from __future__ import annotations

from arena.testing.checks import (
    agreement,
    arguments,
    copies,
    costs,
    finiteness,
    knowledge,
    labels,
    moves,
    playing,
    promises,
    purity,
    refusals,
    seeds,
)
from arena.testing.checks.check import Check

LEARNER_CHECKS: tuple[Check, ...] = (
    playing.plays,
    playing.learners_share_no_state,
    seeds.same_seed_same_run,
    seeds.begin_forgets,
    seeds.global_random_state_is_untouched,
    seeds.same_run_in_another_process,
    purity.predict_is_pure,
    arguments.leaves_its_arguments_alone,
    arguments.keeps_no_reference,
    copies.deep_copies_are_independent,
    copies.pickles_are_independent,
    agreement.peek_equals_predict,
    labels.no_label_is_used_before_it_is_seen,
    agreement.replay_equals_rounds,
    finiteness.finite_after_repeated_points,
    finiteness.finite_in_extreme_games,
    refusals.nonsense_is_refused,
    costs.memory_grows_as_declared,
    promises.promised_theorems_hold,
)

ADVERSARY_CHECKS: tuple[Check, ...] = (
    knowledge.oblivious_never_looks,
    moves.moves_are_legal,
    moves.same_seed_same_moves,
    moves.begin_forgets,
    moves.global_random_state_is_untouched,
    moves.same_moves_in_another_process,
    knowledge.blocks_equal_single_moves,
    knowledge.the_learner_is_let_alone,
    knowledge.only_the_past_is_known,
)
