"""Statements of the papers that are wrong as printed, each with a small transcript that refutes it.

The transcripts are in this folder. `python -m arena.papers.errata FOLDER` plays the matches again.
"""

from arena.papers.errata.erratum import SERIOUSNESS, Erratum, InWords, JudgedErratum
from arena.papers.errata.known import ERRATA, IN_WORDS, REMARKS

__all__ = ["ERRATA", "IN_WORDS", "REMARKS", "SERIOUSNESS", "Erratum", "InWords", "JudgedErratum"]
