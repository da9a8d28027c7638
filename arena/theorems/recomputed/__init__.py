"""What theorems recompute of a match from its transcript alone: nothing here asks a learner."""
