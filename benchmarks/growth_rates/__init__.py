"""The table of growth rates: how fast the regret of each learner grows on sequences that are hard for some learners."""
