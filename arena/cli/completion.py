"""`arena completion SHELL`, and the names and specs that a shell completes when the tab key is pressed."""

from __future__ import annotations

from collections.abc import Callable

import click
from click.shell_completion import CompletionItem, get_completion_class

from arena.cli.command_line import CommandWithExamples
from arena.errors import ArenaError
from arena.specs import registry
from arena.specs.building import signature

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = {
    "arena completion bash >> ~/.bashrc": "from the next shell on, the tab key completes",
    "arena completion zsh >> ~/.zshrc": "the same for zsh",
    "arena completion fish > ~/.config/fish/completions/arena.fish": "the same for fish",
}

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


@click.command("completion", cls=CommandWithExamples, examples=EXAMPLES)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands, options, names and specs in SHELL."""
    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(context.find_root().command, {}, "arena", "_ARENA_COMPLETE").source())


def specs(*kinds: str, also: tuple[str, ...] = ()) -> Complete:
    """Return a function that completes an unfinished spec, for click's `shell_complete`.

    It completes paths, names of the given `kinds` (such as "learner"), the words `also`, and names of parameters.

    >>> complete = specs("kernel")
    >>> [item.value for item in complete(None, None, "gau")]
    ['gaussian']
    >>> [item.value for item in complete(None, None, "polynomial(degree=3,o")]
    ['polynomial(degree=3,offset=']
    """

    def complete(_: click.Context, __: click.Parameter, start: str) -> list[CompletionItem]:
        if start.startswith((".", "/", "~")):
            return [CompletionItem(start, type="file")]
        if "(" in start:
            return [CompletionItem(text) for kind in kinds for text in _with_parameter(kind, start)]
        known = sorted({*also, *(name for kind in kinds for name in registry.entries(kind))})
        return [CompletionItem(name) for name in known if name.startswith(start)]

    return complete


def _with_parameter(kind: str, start: str) -> list[str]:
    """Return completions of `start`, an unfinished spec that ends with the beginning of a parameter's name.

    `kind` is the kind of the spec, such as "learner". The result is empty if nothing of this kind has the spec's name.
    """
    name = start.partition("(")[0]
    cut = max(start.rfind("("), start.rfind(",")) + 1
    last = start[cut:].lstrip()
    try:
        declared = signature(registry.find(kind, name)) or ()
    except ArenaError:  # another kind's name, or no name at all
        return []
    return [f"{start[: len(start) - len(last)]}{each.name}=" for each in declared if each.name.startswith(last)]
