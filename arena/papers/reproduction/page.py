"""Results of experiments as Markdown and as JSON values: measured numbers beside published ones, with notes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena.errors import number_of
from arena.papers.markdown import page, table, wrapped
from arena.papers.reproduction.experiment import Measure
from arena.papers.reproduction.published import by_number
from arena.papers.reproduction.running import ExperimentResult, Measured, PartResult, curve_of

NAMED = 6  # largest number of pairs of algorithms that a text names
HEADS = ("algorithm", "ours", "published", "difference", "size", "published", "seconds", "published", "note")
DIGITS: dict[Measure, int] = {"average loss": 5, "error %": 2, "test error %": 2, "regret": 1, "plain regret": 1}


def notes_on(outcome: ExperimentResult, part: PartResult, measured: Measured) -> list[int]:
    """Return the numbers, from 1, of the notes that explain a row's difference from the published value.

    The result is empty if the difference is not large enough for a note (`Measured.is_far`).
    """
    if not measured.is_far:
        return []
    names = part.part.heading, measured.row.algorithm
    return [number for number, note in enumerate(outcome.experiment.notes, start=1) if note.concerns(*names)]


def seeds_in_words(outcome: ExperimentResult) -> str:
    """Return a sentence with the number of matches played and the number planned; empty if all were played.

    Rows without measured values are not counted.
    """
    rows = [each for part in outcome.parts for each in part.rows if each.values]
    played, planned = sum(len(each.values) for each in rows), sum(each.planned for each in rows)
    if played >= planned:
        return ""
    seeds = number_of(max(each.planned for each in rows), "seed")
    return (
        f"{played:,} of {planned:,} matches have been played, the others not yet: "
        f"{seeds} at most are planned for a row, and rows without a deviation have one."
    )


def order_in_words(outcome: ExperimentResult, part: PartResult) -> str:
    """Return a text on whether the algorithms are in the published order, with the reasons if they are not.

    A pair of algorithms has a published order if their published values differ by more than the sum of their standard
    deviations. The text is empty if only small extracts of the data were played (--quick), or if no pair has one.
    """
    if outcome.quick:
        return ""
    pairs, turned = 0, []
    numbers = by_number(each for each in part.rows if each.values)
    for two in itertools.combinations(numbers.items(), 2):
        (low, better), (high, worse) = sorted(two, key=lambda each: each[0].value)
        if high.value - low.value > (low.std or 0.0) + (high.std or 0.0):
            pairs += 1
            if better.mean > worse.mean:
                turned.append(f"{better.row.algorithm} below {worse.row.algorithm}")
    if not pairs:
        return ""
    if not turned:
        words = "the pair of algorithms is" if pairs == 1 else f"all {pairs} pairs of algorithms are"
        return f"Order: {words} in the published order."
    more = f", and {len(turned) - NAMED} more" if len(turned) > NAMED else ""
    words = f"""Order: {pairs - len(turned)} of {pairs} pairs of algorithms are in the published order.
        Published, and not so here: {", ".join(turned[:NAMED])}{more}."""
    reasons = (note.text for note in outcome.experiment.orders if note.concerns(part.part.heading, ""))
    return " ".join(" ".join([words, *reasons]).split())


def section(outcome: ExperimentResult, *, level: str = "##") -> str:
    """Return the results of an experiment as a section in Markdown; `level` is the mark of its heading."""
    experiment = outcome.experiment
    parts = [f"{level} {experiment.title}: `{experiment.name}`", wrapped(f"{experiment.paper}. {experiment.about}")]
    if outcome.quick:
        parts.append(wrapped("The quick variant, on small extracts: the numbers say only that everything runs."))
    if outcome.chosen:
        values = "; ".join(f"{name}: {value}" for name, value in outcome.chosen.items())
        parts.append(wrapped(f"Settings that the paper leaves open, as they were played: {values}."))
    parts += [wrapped(text) for text in experiment.settings]
    parts += [wrapped(words)] if (words := seeds_in_words(outcome)) else []
    for each in outcome.parts:
        parts += [
            f"{level}# {each.part.heading}",
            wrapped(_about_part(each)),
            table(HEADS, [_cells(outcome, each, measured) for measured in each.rows]),
        ]
        parts += [wrapped(words)] if (words := order_in_words(outcome, each)) else []
    for name, lines in experiment.lines().items():
        ends = [(line, *(f"{y[i]:.4g}" for i in _places(len(y)))) for line, (_, y) in lines.items()]
        x, _ = next(iter(lines.values()))
        heads = [f"{experiment.axes[0]} = {x[i]:.4g}" for i in _places(len(x))]
        parts += [f"{level}# {name}", table((experiment.axes[1] or "curve", *heads), ends)]
    if experiment.notes:
        numbered = [f"{number}. {' '.join(note.text.split())}" for number, note in enumerate(experiment.notes, start=1)]
        parts.append("Notes on differences:\n\n" + "\n".join(numbered))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _about_part(each: PartResult) -> str:
    order = ""
    if stream := each.part.stream:
        order = "in random order" if stream.shuffled else "in the given order"
        if training := stream.training_rows:
            split = "all rows in random order" if stream.shuffled else "the training part in random order"
            order = f"{split}, {training:,} rows of training"
    game = ", ".join(f"{name} {value}" for name, value in each.part.game.items())
    against = f"against {each.part.adversary}" if each.part.adversary else ""
    return f"Measured: {each.part.measure}; {'; '.join(filter(None, (each.prepared, order, against, game)))}."


def _places(size: int) -> list[int]:
    return sorted({round(share * (size - 1)) for share in (0.0, 0.25, 0.5, 0.75, 1.0)})


def _cells(outcome: ExperimentResult, part: PartResult, measured: Measured) -> tuple[str, ...]:
    known, digits = measured.published, DIGITS[part.part.measure]
    numbers = ", ".join(map(str, notes_on(outcome, part, measured)))
    note = numbers or ("**unexplained**" if measured.is_far and not outcome.quick else "")
    ours = _with_deviation(measured.mean, None, digits) if measured.values else "-"
    if len(measured.values) > 1:
        ours = f"{_with_deviation(measured.mean, float(np.std(measured.values)), digits)} ({len(measured.values)})"
    if measured.row.rounds and measured.values:
        played = int(measured.curves["rounds"][-1]) if measured.curves else measured.row.rounds
        ours += f" ({number_of(played, 'round')})"  # fewer than the row's limit if the data has fewer rows
    return (
        measured.row.algorithm,
        ours,
        _with_deviation(known.value, known.std, digits) if known else "",
        measured.beside,
        f"{np.mean(measured.sizes):.0f}" if measured.sizes else "",
        f"{known.size:g}" if known and known.size is not None else "",
        f"{np.mean(measured.seconds):.2f}" if measured.seconds else "",
        f"{known.seconds:g}" if known and known.seconds is not None else "",
        note or (measured.reason if not measured.values else ""),
    )


def _with_deviation(value: float, std: float | None, digits: int) -> str:
    return f"{value:.{digits}f}" + (f" ± {std:.{digits}f}" if std is not None else "")


def papers_page(outcomes: Sequence[ExperimentResult], searches: Mapping[str, str]) -> str:
    """Return the text of docs/results/papers.md, made of the results of all experiments.

    `searches` has Markdown by an experiment's name: a section about the search for values of the settings that the
    paper leaves open.
    """
    about = """
        The tables and figures of the papers, played again on the real data. Each row has our mean and standard
        deviation over the seeds (their number in brackets) beside the published value; the difference is given in
        published standard deviations. Seconds are those of the learner alone, on one thread, by
        the clock, so that other work of the machine lengthens them; the published ones are of other machines and
        languages. A difference above three deviations, or 10 % where none is published, has a note.
    """
    measured = [each for outcome in outcomes for part in outcome.parts for each in part.rows]
    rows = by_number(measured).values()
    played = [each for each in rows if each.values]
    far = [each for each in played if each.is_far]
    summary = wrapped(
        f"{len(played)} of {len(rows)} published values have a value of ours beside them; {len(played) - len(far)} are "
        f"within three deviations (or 10 %) of it."
    )
    spent = {key: seconds for each in measured for key, seconds in each.spent.items()}
    cost = wrapped(
        f"{len(spent):,} matches took {sum(spent.values()) / 3600:.1f} hours together, each on one thread. These are "
        f"hours of the clock, so that other work of the machine lengthens them."
    )
    command = "arena reproduce papers --data FOLDER -o FOLDER --markdown"
    sections = "\n".join(
        "\n".join(filter(None, (section(each), searches.get(each.experiment.name)))) for each in outcomes
    )
    return f"{page('The papers, played again', command, about)}{summary}\n\n{cost}\n\n{sections}"


def as_json(outcome: ExperimentResult) -> dict[str, Any]:
    """Return the results of an experiment as a dictionary of plain values."""
    experiment = outcome.experiment
    return {
        "name": experiment.name,
        "title": experiment.title,
        "paper": experiment.paper,
        "about": [" ".join(text.split()) for text in (experiment.about, *experiment.settings, seeds_in_words(outcome))],
        "axes": list(experiment.axes),
        "heads": HEADS,
        "quick": outcome.quick,
        "chosen": dict(outcome.chosen),
        "seconds": outcome.seconds,
        "missing": outcome.missing,
        "parts": [_part_as_json(outcome, part) for part in outcome.parts],
        "lines": {
            name: [{"name": line, "x": x, "y": y} for line, (x, y) in lines.items()]
            for name, lines in experiment.lines().items()
        },
        "notes": [" ".join(note.text.split()) for note in experiment.notes],
    }


def _part_as_json(outcome: ExperimentResult, part: PartResult) -> dict[str, Any]:
    rows = []
    for each in part.rows:
        found = each.difference
        rows.append(
            {
                "algorithm": each.row.algorithm,
                "learner": each.row.learner,
                "cells": _cells(outcome, part, each),
                "values": each.values,
                "sizes": each.sizes,
                "seconds": each.seconds,
                "published": vars(each.published) if each.published else None,
                "difference": None if found is None else {"value": found[0], "unit": "sd" if found[1] else "share"},
                "far": each.is_far,
                "notes": notes_on(outcome, part, each),
                "reason": each.reason,
                "curve": _curve(part, each),
            }
        )
    words = {"measure": part.part.measure, "prepared": part.prepared, "order": order_in_words(outcome, part)}
    return {"heading": part.part.heading, **words, "rows": rows}


def _curve(part: PartResult, measured: Measured) -> dict[str, list[float]] | None:
    """Return the curves of a row's first match, by name.

    The names are "rounds", "seconds", the part's measure, and "bound X" for a theorem X of the row. The result is None
    if the part draws no curves, or if the row has none.
    """
    if not part.part.curves or not measured.curves:
        return None
    measure = part.part.measure
    curves = {**measured.curves, measure: curve_of(measure, measured.curves)}
    names = ("rounds", "seconds", measure, *(f"bound {each}" for each in measured.row.bounds))
    return {name: curves[name].tolist() for name in names if name in curves}
