"""Many learners, adversaries, games and seeds, compared.

May call `hunt` and the rooms below it.
"""
