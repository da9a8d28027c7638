"""Every printed statement fails on its shipped transcript, and its correction does not."""

import math
from dataclasses import replace

import numpy as np
import pytest

from arena.papers.errata import ERRATA, IN_WORDS
from arena.papers.errata.matches import first_accepted
from arena.papers.tightness import PRINTED, promises
from arena.specs import registry

LARGEST = 64 * 1024  # bytes


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.name)
def test_the_shipped_match_reproduces_the_erratum(erratum):
    judged = erratum.judged()
    assert judged.reproduced, f"{judged.printed}\n{judged.corrected}"
    assert not judged.corrected.violated
    assert erratum.wrong.endswith(".")


def test_every_printed_theorem_has_an_erratum_and_every_erratum_its_theorem():
    printed = {name for name in registry.entries("theorem") if name.endswith(PRINTED)}
    assert printed == {erratum.name for erratum in ERRATA}
    assert len(ERRATA) == len(printed)


def test_no_learner_promises_a_printed_statement():
    assert not [each for promised in promises().values() for each in promised if each.name.endswith(PRINTED)]


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda erratum: erratum.name)
def test_the_shipped_match_is_the_match_that_play_makes(erratum):
    shipped, played = erratum.transcript(), erratum.play()
    assert (shipped.learner, shipped.adversary, shipped.game) == (played.learner, played.adversary, played.game)
    for name in ("points", "labels", "predictions"):
        np.testing.assert_allclose(getattr(shipped, name), getattr(played, name), rtol=0, atol=1e-12)
    assert set(shipped.evidence) == set(played.evidence)
    assert erratum.judged(played).reproduced


def test_transcripts_are_tiny():
    from importlib import resources

    for erratum in ERRATA:
        assert len((resources.files("arena.papers.errata") / erratum.file).read_bytes()) < LARGEST, erratum.name


def test_a_correction_that_fails_or_a_printed_statement_that_holds_is_not_a_reproduction():
    judged = next(erratum for erratum in ERRATA if erratum.shows == "false").judged()
    holds, violated = replace(judged.printed, outcome="holds"), replace(judged.corrected, outcome="violated")
    unfit = replace(judged.corrected, outcome="not applicable", reason="something else")
    assert not replace(judged, printed=holds).reproduced
    assert not replace(judged, corrected=violated).reproduced
    assert not replace(judged, corrected=unfit).reproduced
    incomplete = next(erratum for erratum in ERRATA if erratum.shows == "incomplete").judged()
    assert not replace(incomplete, corrected=unfit).reproduced
    assert not replace(incomplete, printed=holds).reproduced


def test_errata_in_words_name_the_paper_and_are_sentences():
    for where, what in IN_WORDS:
        assert any(paper in where for paper in ("2017", "2019", "2022"))
        assert what.endswith(".")


@pytest.mark.parametrize(("kind", "share"), [("nips", 0.0207), ("icml", 0.0283)])
def test_one_point_joins_far_more_often_than_the_printed_bound_allows(kind, share):
    """The probability, from the learner's evidence, with which the printed bound fails; it allows delta = 0.001."""
    erratum = next(erratum for erratum in ERRATA if kind in erratum.name)
    run = first_accepted(erratum.transcript().learner)
    assert run.evidence["probabilities"][0] == pytest.approx(share, rel=0.01)
    assert math.isclose(erratum.judged().printed.confidence, 0.999)
