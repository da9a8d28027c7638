"""`arena data`: lists, downloads, describes and prepares the data sets of the papers."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np
from rich import progress
from rich.console import Console

from arena.cli.options import json_option
from arena.cli.output import markup, picked, print_json, terminal
from arena.cli.progress import LiveBar
from arena.data import Data, read_data
from arena.data.coding import Categories, Coding, Missing, read_coded
from arena.data.preparing import Preparation
from arena.data.registry import FOLDER, DataSet, data_set, find, read_set, registered_sets
from arena.data.selection import Selection
from arena.errors import ArenaError
from arena.guards.whole_files import hide_from_git, is_new, make_folder, writing
from arena.specs.extras import import_extra

RANGES = "raw, [0,1], [-1,1]"


data_option = click.option(
    "--data",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=FOLDER,
    show_default=True,
    metavar="FOLDER",
    help="Folder of the data sets: NAME.npz, or files of your own, NAME.csv, NAME.libsvm, ..., packed or not.",
)


@click.group()
def data() -> None:
    """List, fetch, show and prepare the data sets of the papers."""


@data.command("list")
@data_option
@json_option
def list_sets(folder: Path, json_wanted: bool) -> None:
    """List the data sets that `arena reproduce` plays, and which of them are in the folder."""
    rows = [_as_json(each, folder) for each in registered_sets().values()]
    if json_wanted:
        print_json(rows)
        return
    console = terminal()
    for row in rows:
        there = f"[green]{markup(row['file'])}[/]" if row["file"] else "[dim]not there[/]"
        size = f"{row['rows']:>9,} x {row['columns']:<3}"
        console.print(f"  {row['name']:<13}{size}  {row['task']:<15} {there}")
    console.print("\nTo get one: arena data fetch NAME.   Its licence, source and hash: arena data show NAME")


@data.command()
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option(
    "--all", "everything", is_flag=True, help="Fetch all data sets that have an address, or that a mirror has."
)
@click.option("--from", "mirror", metavar="FOLDER|ADDRESS", help="Fetch NAME.npz from a folder or a base address.")
@data_option
def fetch(names: tuple[str, ...], everything: bool, mirror: str | None, folder: Path) -> None:
    """Download data sets, check their hashes, and keep them in the folder; a broken download is continued.

    With --from, NAME.npz is copied from that FOLDER or ADDRESS. Without --from, NAME.npz is made from files at the
    original addresses.
    """
    if bool(names) == everything:
        raise ArenaError("name the data sets to fetch, or give --all (arena data list)")
    import_extra("pooch", "arena data fetch")
    from arena.data.registry.fetching import fetch as fetch_set

    all_sets = [each for each in registered_sets().values() if mirror or each.files]
    wanted = all_sets if everything else [data_set(name) for name in names]
    if folder == FOLDER:
        make_folder(folder)
        hide_from_git(folder.parent)
    for each in wanted:
        with _Downloads(terminal(err=True)) as downloads:
            new = fetch_set(each, folder, mirror=mirror, progress=downloads)
        state = "fetched, and its hash is the registry's" if new else "there already, with the registry's hash"
        click.echo(f"{folder / each.file}: {state}")


@data.command()
@click.argument("name", metavar="NAME|FILE")
@data_option
@json_option
def show(name: str, folder: Path, json_wanted: bool) -> None:
    """Print the size, task, licence, source and hash of a data set, and describe the content of its file.

    If the argument is a FILE of yours, describe the content of this file.
    """
    known: dict[str, Any] = {}
    if _is_file(name):
        contents = _content(read_data(name))
    else:
        wanted = data_set(name)
        known = _as_json(wanted, folder)
        contents = {}
        if known["file"]:
            found, file = read_set(name, folder)
            contents = {"registered": file.registered, **_content(found)}
    if json_wanted:
        print_json(known | ({"content": contents} if contents else {}))
        return
    console = terminal()
    for key, value in {**known, **contents}.items():
        if value not in (None, "", []):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            console.print(f"  {key.replace('_', ' '):<16} {markup(shown)}")
    if known and not known["file"]:
        console.print(f"\nIt is not in {markup(folder)}: arena data fetch {name}")


@data.command()
@click.argument("name", metavar="NAME|FILE")
@click.option("--features", default="raw", show_default=True, help=f"{RANGES} or standardised.")
@click.option(
    "--labels", default="raw", show_default=True, help=f"{RANGES}, classes (-1 and 1) or 2y-1 (over its maximum)."
)
@click.option(
    "--missing",
    type=click.Choice(get_args(Missing)),
    default="refuse",
    show_default=True,
    help="Missing values of a table: drop the row, or fill in the column's mean, median or zero.",
)
@click.option(
    "--categories",
    type=click.Choice(get_args(Categories)),
    default="refuse",
    show_default=True,
    help="Columns of words: a column of 0 and 1 for each word, or codes 0, 1, 2, ...",
)
@click.option("--label-column", metavar="NAME", help="Column of the labels: its name, or its index from 0.  [the last]")
@click.option("--columns", metavar="NAMES", help="Columns of the points, as in temp,town, names or indices.  [all]")
@click.option("--drop", metavar="NAMES", help="Columns that are left out, instead of --columns.")
@click.option("-o", "output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="NAME.npz to write.")
@data_option
def prepare(
    name: str,
    features: str,
    labels: str,
    missing: Missing,
    categories: Categories,
    label_column: str | None,
    columns: str | None,
    drop: str | None,
    output: Path,
    folder: Path,
) -> None:
    """Write a copy of a data set as plain numbers, with points and labels scaled, and print what was changed.

    The adversary `replay(file=NAME.npz)` plays the copy.
    """
    if output.suffix != ".npz":
        raise ArenaError(f"the file to write must be an .npz, but it is {output}")
    coding, coded = Coding(missing, categories), ""
    label = None if label_column is None else _column(label_column)
    selection = Selection.of(label, _columns(columns), _columns(drop))
    if _is_file(name):
        given, coded = read_coded(name, coding, selection)
    elif coding or selection != Selection():
        raise ArenaError(
            "the papers' data sets have neither missing values nor words, and all their columns are played: leave "
            "the options out"
        )
    else:
        given = read_set(name, folder)[0]
    prepared, report = Preparation(features, labels).apply(given)  # type: ignore[arg-type]
    names: dict[str, Any] = {"feature_names": np.array(prepared.names)} if prepared.names else {}
    with writing(output, is_new) as file:
        np.savez_compressed(file, X=prepared.X, y=prepared.y, **names)
    click.echo(f"{output}: {len(prepared.y):,} rows; {'; '.join(filter(None, (coded, report)))}")


def _columns(text: str | None) -> list[str | int] | None:
    if text is None:
        return None
    return list(map(_column, text.strip().removeprefix("[").removesuffix("]").split(",")))


def _column(text: str) -> str | int:
    """Return the index of a column as an int if the text is a whole number; otherwise the text, a column's name."""
    text = text.strip()
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _is_file(name: str) -> bool:
    """Return whether `name` means a file of the user rather than a data set that the arena knows."""
    return name not in registered_sets() and (os.sep in name or Path(name).suffix != "" or Path(name).exists())


def _as_json(wanted: DataSet, folder: Path) -> dict[str, Any]:
    """Return all that is known of a data set, such as its size and source, as plain values.

    The key "file" has the path of the set's file in the folder; None if the folder has no such file.
    """
    return {
        **picked(wanted, "name about task rows columns training_rows licence source"),
        "addresses": [each.address for each in wanted.files],
        "sha256": wanted.sha256,
        "sha256_of_numbers": wanted.numbers,
        "note": wanted.note,
        "file": find(wanted.name, folder),
    }


def _content(given: Data) -> dict[str, Any]:
    """Return a description of the data: rows, columns, range of the points, range or classes of the labels."""
    values, counts = np.unique(given.y, return_counts=True)
    few = len(values) <= 10
    labels = ", ".join(f"{value:g} ({count:,} rows)" for value, count in zip(values, counts, strict=True))
    return {
        "rows": len(given.y),
        "columns": given.X.shape[1],
        "features": list(given.names),
        "points_between": f"{given.X.min():g} and {given.X.max():g}",
        "constant_columns": int(np.sum(given.X.min(axis=0) == given.X.max(axis=0))),
        "labels": labels if few else f"{len(values):,} values between {values[0]:g} and {values[-1]:g}",
    }


class _Downloads(LiveBar):
    """Context manager: a progress bar for downloads on a terminal; elsewhere nothing is shown."""

    def __init__(self, console: Console):
        columns = progress.TextColumn("{task.description}"), progress.BarColumn(), progress.DownloadColumn()
        super().__init__(console, *columns, progress.TransferSpeedColumn())
        self.tasks: dict[str, progress.TaskID] = {}

    def __call__(self, name: str, done: int, total: int | None) -> None:
        if self.bar:
            if name not in self.tasks:
                self.tasks[name] = self.bar.add_task(name, total=total)
            self.bar.update(self.tasks[name], completed=done, total=total)
