"""The best predictor in hindsight: exact, in an interval with a proof, of streams, of other losses.

May call `linalg` and the rooms below it.
"""
