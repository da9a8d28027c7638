"""Measures all models in parallel, and keeps finished rows in a folder, so that a second run continues."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from arena.engine.workers import Channel, work_off
from arena.guards.whole_files import writing

from .measuring import FULL, Effort, measure
from .model import Model
from .row import Row

KEPT = Path(".arena") / "wild"
PATIENCE = 1800.0  # seconds without a sign of life before a model's worker is ended; the machine may be busy


def rows_of(
    models: Sequence[Model],
    effort: Effort = FULL,
    *,
    workers: int = 2,
    folder: Path = KEPT,
    again: bool = False,
    notify: Callable[[Row], None] = lambda _: None,
) -> list[Row]:
    """Return the rows of the models, in their order.

    Rows in the folder are reused; with `again` they are measured again. A model that hangs, kills its process or raises
    an exception gets a row with an `error`. With `workers=0` nothing is measured, and a missing row has the error "not
    measured".
    """
    rows = {number: kept for number, model in enumerate(models) if not again and (kept := _kept(model, effort, folder))}
    missing = [number for number in range(len(models)) if number not in rows]
    if not workers:
        absent = {number: Row(models[number].library, models[number].name, error="not measured") for number in missing}
        return [{**rows, **absent}[number] for number in range(len(models))]
    task = partial(_measured, models, effort)
    events = work_off(task, missing, workers=workers, forked=True, patience=PATIENCE)
    with contextlib.closing(events):
        for event in events:
            if event is None:
                continue
            model = models[event.number]
            row = event.content if event.kind == "done" else Row(model.library, model.name, model.version)
            if event.kind != "done":
                row.error = f"its process {'hung' if event.kind == 'hung' else f'ended ({event.content})'}"
            rows[event.number] = row
            if not row.error:  # what failed, perhaps for lack of a library or of time, is tried again
                _keep(row, model, effort, folder)
            notify(row)
    return [rows[number] for number in sorted(rows)]


def _measured(models: Sequence[Model], effort: Effort, number: int, channel: Channel) -> Row:
    """Return the row of one model; an exception is recorded in the row, since it would end all workers."""
    model = models[number]
    try:
        return measure(model, effort, notify=channel.playing)
    except Exception as error:
        return Row(model.library, model.name, model.version, f"{type(error).__name__}: {error}".splitlines()[0])


def _file(model: Model, effort: Effort, folder: Path) -> Path:
    return folder / f"{model.key}-{effort.matches}-{effort.hunted_rounds}-{effort.rounds}.json"


def _kept(model: Model, effort: Effort, folder: Path) -> Row | None:
    """Return the model's row in the folder; None if there is none, or if its file is damaged."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
        return Row.of_json(json.loads(_file(model, effort, folder).read_text(encoding="utf-8")))
    return None


def _keep(row: Row, model: Model, effort: Effort, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with writing(_file(model, effort, folder), lambda head: head.startswith(b'{"library"')) as file:
        file.write(json.dumps(row.as_json()).encode())
