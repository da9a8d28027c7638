"""Papers' pseudo-code in plain NumPy, round by round, with which the learners' speed is compared.

A class has `play(x, y)`, one round, which returns the prediction. Definitions that the tests use as slow twins
(`arena_tests.slow`) serve where nothing faster is printed.
"""
