"""The command line: `arena play`, `arena hunt`, `arena check`, `arena list`, `arena show`, `arena reproduce`, ...

May call every room but `learners` and `adversaries`, which are found by name.

Exit codes: 0 played and no bound violated; 1 a bound violated or a forfeit; 2 wrong usage; 130 interrupted; 141 if
nobody reads what it prints any more.
"""

from __future__ import annotations

import click

from arena.cli.catalogue import list_names, show
from arena.cli.check import check
from arena.cli.failures import failures
from arena.cli.group import CommandLine
from arena.cli.hunt import hunt_learner
from arena.cli.judge import judge
from arena.cli.new import new
from arena.cli.play import play_match
from arena.cli.replay import replay
from arena.cli.shrink import shrink_file
from arena.cli.tables import reproduce
from arena.version import __version__

WELCOME = """\
regret-arena tests online learners the way an opponent would.

Type this first:

    arena play kernel-awv greedy

and then:

    arena play krr greedy --bound awv-logdet    a theorem that plain ridge regression breaks
    arena list                                  learners, adversaries, kernels and theorems
    arena show greedy                           what one of them is, and its parameters
    arena play ./mine.py:MyLearner greedy       your own: a class with predict(x) and update(x, y)
    arena hunt krr --bound awv-leverage         the match that breaks a theorem, searched for
    arena play sketched-kons greedy --seeds 20  many seeds, judged together
    arena play krr --all-adversaries            who forces the most regret
    arena reproduce errata                      what is wrong in the papers, shown by matches
    arena new learner my-learner                a learner to start from, with its test
    arena check ./mine.py:MyLearner             does it keep the contract: pure, reproducible, finite, ...
    arena replay match.npz krr                  the moves of a saved match again, with another learner
    arena shrink match.npz --bound awv-logdet   the shortest sequence on which it fails
    arena failures                              what broke a learner before, to be played again or made a test
    arena play --help                           everything that can be set
"""


@click.group(cls=CommandLine, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="arena")
@click.pass_context
def main(context: click.Context) -> None:
    """Test online learners the way an opponent would.

    Exit codes: 0 fine, 1 a bound violated or a forfeit, 2 wrong usage, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        click.echo(WELCOME, nl=False)


main.add_command(play_match)
main.add_command(hunt_learner)
main.add_command(judge)
main.add_command(check)
main.add_command(new)
main.add_command(list_names)
main.add_command(show)
main.add_command(reproduce)
main.add_command(failures)
main.add_command(replay)
main.add_command(shrink_file)
