"""The table of growth rates: sequences, laws, the law found for each learner, and where it corrects the theory."""
