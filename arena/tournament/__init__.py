"""Matches of many learners, adversaries, games and seeds, planned together, played, kept and compared.

May call `hunt` and the rooms below it.
"""
