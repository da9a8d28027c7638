"""The command line: `arena play`, `arena hunt`, `arena check`, `arena list`, `arena show`, `arena reproduce`, ...

May call `reports` and the rooms below it. `learners` and `adversaries` are found by name and not imported. When a
command is run, only the module of this command is imported.

Exit codes of commands that play or judge:

- 0: no bound was violated.
- 1: a bound was violated, or a player forfeited.
- 2: wrong usage; or --bound names theorems, and none of them could be decided.
- 3: a file of a store is damaged; or a match of a tournament could not be finished because of its time limit or an
  error outside the players; or a row in a table of `arena reproduce NAME` could not be played.
- 70: a fault of the arena itself.
- 130: Ctrl-C.
- 141: the output is a pipe that its reader closed.
"""

from __future__ import annotations

import click

from arena.cli.command_line import CommandLine
from arena.version import __version__

WELCOME = """\
regret-arena tests online learners the way an opponent would. Type this:

    arena play kernel-awv greedy

`arena --help` lists what else there is.
"""

EXAMPLES = {
    "arena play kernel-awv greedy": "a match, its regret and its verdicts",
    "arena play krr greedy --bound awv-logdet": "a theorem that plain ridge regression breaks",
    "arena play ./mine.py:MyLearner greedy": "your own: a class with predict(x) and update(x, y)",
    "arena play krr --all-adversaries": "the adversary that forces the most regret",
    "arena hunt krr --bound awv-leverage": "the match that breaks a theorem, searched for",
    "arena tournament krr kernel-awv --against greedy drift": "many matches, kept and compared",
    "arena report": "one HTML page about all matches of a store",
    "arena new learner my-learner": "a learner to start from, with its test",
    "arena list": "learners, adversaries, kernels and theorems",
}


COMMANDS = {  # name of a command: (its address, its line in the help)
    "check": ("arena.cli.check:check", "Check that a learner or an adversary keeps the contract."),
    "compare": ("arena.cli.compare:compare", "Print what got better or worse between two stores of matches."),
    "completion": ("arena.cli.completion:completion", "Print the script that completes names in a shell."),
    "data": ("arena.cli.data:data", "The data sets of the papers: list, fetch, show and prepare them."),
    "doctor": ("arena.cli.doctor:doctor", "Print versions and optional parts, and whether all of it works."),
    "failures": ("arena.cli.failures:failures", "Failures of learners, kept to be played first."),
    "hunt": ("arena.cli.hunt:hunt_learner", "Look for a match in which LEARNER breaks a theorem."),
    "judge": ("arena.cli.judge:judge", "Judge a match that `arena play --save FILE.npz` kept."),
    "list": ("arena.cli.catalogue:list_names", "List what can be named in a spec."),
    "new": ("arena.cli.new:new", "Write files to start from."),
    "play": ("arena.cli.play:play_match", "Play LEARNER against ADVERSARY, and judge the regret."),
    "replay": ("arena.cli.replay:replay", "Play the moves of a saved match again."),
    "report": ("arena.cli.report:report", "Write one HTML page about many matches."),
    "reproduce": ("arena.cli.reproduce:reproduce", "Make the tables of the documentation again."),
    "show": ("arena.cli.show:show", "Print the paper, parameters, cost and theorems of NAME."),
    "store": ("arena.cli.store:store", "List, verify, merge and export the matches that tournaments keep."),
    "shrink": ("arena.cli.shrink:shrink_file", "Shrink a saved match in which the learner failed."),
    "tournament": ("arena.cli.tournament:tournament", "Play many learners, adversaries, games and seeds."),
}


@click.group(
    cls=CommandLine,
    addresses=COMMANDS,
    examples=EXAMPLES,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="arena")
@click.pass_context
def main(context: click.Context) -> None:
    """Test online learners the way an opponent would.

    Exit codes: 0 no bound was violated; 1 a bound was violated, or a player forfeited; 2 wrong usage, or none of the
    bounds named was decided; 70 a bug of the arena; 130 interrupted.
    """
    if context.invoked_subcommand is None:
        click.echo(WELCOME, nl=False)
