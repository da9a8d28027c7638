"""`arena completion SHELL`, and the names and specs that a shell completes when the tab key is pressed."""

from __future__ import annotations

import itertools
import re
import typing
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem, get_completion_class

from arena.cli.command_line import CommandWithExamples
from arena.guards.user_code import tolerated
from arena.specs import registry
from arena.specs.building import signature
from arena.specs.parameters import annotated_fields

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = {
    "arena completion bash >> ~/.bashrc": "from the next shell on, the tab key completes",
    "arena completion zsh >> ~/.zshrc": "the same for zsh",
    "arena completion fish > ~/.config/fish/completions/arena.fish": "the same for fish",
}

_TOKEN = re.compile(r"""'(?:[^\\']|\\.)*'|"(?:[^\\"]|\\.)*"|[()\[\],='"]|[^()\[\],='"]+""")

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

    It completes paths, names of the given `kinds` (such as "learner"), the words `also`, and names of parameters, also
    of a spec within the spec.

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

    `kind` is the kind of the outermost spec, such as "learner". The result is empty if `start` ends elsewhere, or if
    nothing is found under the name of the innermost spec.
    """
    unclosed, last = _unclosed(start)
    if not unclosed or not unclosed[-1].name:
        return []
    with tolerated():  # a name may be ambiguous, or the name of users' code
        declared = signature(_innermost(kind, [each for each in unclosed if each.name])) or ()
        offered = [each.name for each in declared if each.name not in unclosed[-1].given]
        return [f"{start[: len(start) - len(last)]}{name}=" for name in offered if name.startswith(last)]
    return []


class _Unclosed(NamedTuple):
    """A bracket that a spec opens and does not close: the name before it, and the names of parameters given in it.

    The name of a list's bracket is empty.
    """

    name: str
    given: list[str]

    @property
    def parameter(self) -> str:
        """The name of the parameter given last; "" if there is none."""
        return self.given[-1] if self.given else ""


def _unclosed(start: str) -> tuple[list[_Unclosed], str]:
    """Return the unclosed brackets of a spec, the outermost first, and the beginning of a parameter's name at its end.

    There are no brackets in the result if the spec does not end where a parameter's name may stand.
    """
    name, _, rest = start.partition("(")
    found, sign, word = [_Unclosed(name.strip(), [])], "(", ""
    for token in _TOKEN.findall(rest):
        if not found or token in ("'", '"'):  # the spec is complete, or a quoted text is not
            return [], ""
        if token not in "()[],=":
            word = token.lstrip()
            continue
        if token in "([":
            found.append(_Unclosed(word if token == "(" else "", []))
        elif token in ")]":
            found.pop()
        elif token == "=":
            found[-1].given.append(word.strip())
        sign, word = token, ""
    return (found, word) if sign in "(," else ([], "")


def _innermost(kind: str, nested: Sequence[_Unclosed]) -> Any:
    """Return the class or factory of the last of these nested specs, of which the first has this kind.

    The result is None if there is none, or if it is a class in a file, which would have to be run.
    """
    factory = _found([kind], nested[0].name)
    for outer, inner in itertools.pairwise(nested):
        if factory is None or ".py:" in inner.name:
            return None
        factory = _found(_kinds_within(factory, outer.parameter), inner.name)
    return factory


def _kinds_within(factory: Any, parameter: str) -> list[str]:
    """Return the kinds of objects that the annotation of the parameter names; all kinds if it names none."""
    annotations = {field.name: annotation for field, annotation in annotated_fields(factory)}
    types = [each for each in _types(annotations.get(parameter)) if isinstance(each, type)]
    return [kind for each in types for kind in registry.kinds_of(each)] or list(registry.KINDS)


def _types(annotation: Any) -> list[Any]:
    """Return the types in an annotation, such as `Kernel` and `NoneType` in `Sequence[Kernel] | None`."""
    inner = typing.get_args(annotation)
    return [found for each in inner for found in _types(each)] if inner else [annotation]


def _found(kinds: Sequence[str], name: str) -> Any:
    """Return the class or factory of one of these kinds that has this name or address; None if none has this name."""
    named = (kind for kind in kinds if ":" in name or name in registry.entries(kind))
    return next((registry.find(kind, name) for kind in named), None)
