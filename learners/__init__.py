"""The learners, one file for each family of algorithms; whatever class has a `name` is found by it."""

from arena.learners.awv import KernelAWV
from arena.learners.descent import FunctionalGradientDescent
from arena.learners.ridge import KRR, ClippedKRR
from arena.learners.zero import Zero

__all__ = ["KRR", "ClippedKRR", "FunctionalGradientDescent", "KernelAWV", "Zero"]
