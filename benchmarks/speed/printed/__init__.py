"""Papers' pseudo-code in plain NumPy, with which the learners' speed is compared.

A class is an algorithm; its method `play(x, y)` plays one round and returns the prediction. Some classes call the slow
twins of the tests (`arena_tests.slow`), if the paper prints nothing faster.
"""
