"""The command line: `arena play`, `arena hunt`, `arena check`, `arena list`, `arena show`, `arena reproduce`, ...

May call every room but `learners` and `adversaries`, which are found by name. Only the module of the command that
is run is imported.

Exit codes of commands that play or judge: 0 no bound was violated; 1 a bound was violated or a player forfeited; 2
wrong usage, or --bound names theorems of which none was decided (no match was played, no theorem applied, or the
interval of the regret was too wide); 130 Ctrl-C; 141 the output is a pipe that its reader closed.
"""

from __future__ import annotations

import click

from arena.cli.command_line import CommandLine
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
    arena play krr --all-adversaries            the adversary that forces the most regret
    arena tournament krr kernel-awv --against greedy drift --seeds 5    many matches, kept and compared
    arena reproduce errata                      what is wrong in the papers, shown by matches
    arena data list                             the data sets of the papers
    arena new learner my-learner                a learner to start from, with its test
    arena check ./mine.py:MyLearner             whether it keeps the contract: pure, reproducible, ...
    arena replay match.npz krr                  replay a saved match's moves with another learner
    arena shrink match.npz --bound awv-logdet   the shortest sequence on which it fails
    arena report                                one HTML page about all matches of a store
    arena compare old-store new-store           what got better or worse, for CI with --fail-if
    arena failures                              past failures, to be played again or made a test
    arena play --help                           everything that can be set
"""


COMMANDS = {  # name: (address, line in the help)
    "check": ("arena.cli.check:check", "Check that a learner or an adversary keeps the contract."),
    "compare": ("arena.cli.compare:compare", "Print what got better or worse between two stores of matches."),
    "data": ("arena.cli.data:data", "The data sets of the papers: list, fetch, show and prepare them."),
    "failures": ("arena.cli.failures:failures", "Failures of learners, kept to be played first."),
    "hunt": ("arena.cli.hunt:hunt_learner", "Look for a match in which LEARNER breaks a theorem."),
    "judge": ("arena.cli.judge:judge", "Judge a match that `arena play --save FILE.npz` kept."),
    "list": ("arena.cli.catalogue:list_names", "List what can be named in a spec."),
    "new": ("arena.cli.new:new", "Write files to start from."),
    "play": ("arena.cli.play:play_match", "Play LEARNER against ADVERSARY, and judge the regret."),
    "replay": ("arena.cli.replay:replay", "Play the moves of a saved match again."),
    "report": ("arena.cli.report:report", "Write one HTML page about many matches."),
    "reproduce": ("arena.cli.reproduce:reproduce", "Make the tables of the documentation again."),
    "show": ("arena.cli.catalogue:show", "Print the paper, parameters, cost and theorems of NAME."),
    "store": ("arena.cli.store:store", "List, verify, merge and export the matches that tournaments keep."),
    "shrink": ("arena.cli.shrink:shrink_file", "Shrink a saved match in which the learner failed."),
    "tournament": ("arena.cli.tournament:tournament", "Play many learners, adversaries, games and seeds."),
}


@click.group(
    cls=CommandLine,
    addresses=COMMANDS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="arena")
@click.pass_context
def main(context: click.Context) -> None:
    """Test online learners the way an opponent would.

    Exit codes: 0 fine, 1 a bound violated or a forfeit, 2 wrong usage or no named bound was decided, 130 interrupted.
    """
    if context.invoked_subcommand is None:
        click.echo(WELCOME, nl=False)
