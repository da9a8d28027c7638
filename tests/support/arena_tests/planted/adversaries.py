"""Adversaries that break the rules. Those against the contract of `arena check` stand in `contract/adversaries.py`."""


class Lost:
    """Plays by the rules for so many rounds; then its label is none."""

    def __init__(self, after=0):
        self.after = after

    def point(self, view):
        return [0.5, 0.5]

    def label(self, view, x, prediction):
        return 0.0 if view.round <= self.after else None
