"""Papers' pseudo-code in plain NumPy, with which the learners' speed is compared.

A class is an algorithm; its method `play(x, y)` plays one round and returns the prediction. If a paper prints nothing
fast, the slow twin of the tests (`arena_tests.slow`) is used.
"""
