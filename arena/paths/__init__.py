"""What theorems recompute of a match from its transcript: nothing here asks a learner, nor shares code with one."""
