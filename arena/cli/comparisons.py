"""Prints the regret to each comparator of a match, as lines of the match's result."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from arena.cli.output import markup
from arena.record.comparing import Comparison, Profile

POINTS = 5  # points of a profile that are printed


def print_comparisons(console: Console, found: Sequence[Comparison]) -> None:
    """Print one line for each comparator, with the regret to this comparator.

    If the regret is negative, a second line explains the sign. If the comparison has a profile (regrets to a whole
    family of comparators, such as one for each lambda), a further line shows a few of its values.
    """
    console.print("  compared with", style="dim")
    width = max(len(each.comparator) for each in found)
    for each in found:
        name = markup(each.comparator.ljust(width))
        if each.regret is None:
            console.print(f"    {name}       unknown   {markup(each.unknown)}")
            continue
        low, high = (f"{end:.6g}" for end in each.regret)
        between = "" if low == high else f"to {high}, "
        detail = f" ({each.detail})" if each.detail else ""
        console.print(f"    {name}  {low:>12}   {between}beyond {markup(each.plainly + detail)}")
        if each.negative:
            console.print(f"    {'':{width}}{'':>15}  {each.negative}", style="dim")
        if each.profile is not None:
            console.print(f"    {'':{width}}{'':>15}  {markup(profile_line(each.profile))}", style="dim")


def profile_line(profile: Profile) -> str:
    """Return one line with a few values of a profile, such as "by lambda: 0.1: 3.2, 1: 2.1".

    The profile has the regret for each value of a parameter of the comparator. In the example the regret is 3.2 for
    lambda = 0.1, and 2.1 for lambda = 1.
    """
    few = profile.downsampled(POINTS)
    points = zip(few.x.tolist(), few.lower.tolist(), few.upper.tolist(), strict=True)
    return f"by {profile.axis}: " + ", ".join(
        f"{x:.3g}: {low:.4g}" if f"{low:.4g}" == f"{high:.4g}" else f"{x:.3g}: {low:.4g} to {high:.4g}"
        for x, low, high in points
    )
