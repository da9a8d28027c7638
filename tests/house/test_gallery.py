"""The gallery's page, figures and numbers are what its script makes."""

import json
import re
import runpy

import pytest

from arena import play
from arena.reports.publication import is_figure
from arena_tests import FULL
from arena_tests.pages import ROOT

GALLERY = runpy.run_path(str(ROOT / "docs" / "gallery.py"))
NUMBERS = json.loads(GALLERY["NUMBERS"].read_text(encoding="utf-8"))
PLAN = GALLERY["PLAN"]
QUICK = [("krr", "alternating"), ("fgd", "drift"), ("zero", "realisable")]
PAIRS = [(one, other) for one in PLAN["learners"] for other in PLAN["adversaries"]] if FULL else QUICK


def test_the_page_is_made_of_the_numbers():
    assert GALLERY["PAGE"].read_text(encoding="utf-8") == GALLERY["page"](NUMBERS), "run: python docs/gallery.py"


def test_every_figure_of_the_page_is_a_small_file_and_no_other_is_kept():
    shown = set(re.findall(r"\(gallery/([\w-]+\.png)\)", GALLERY["PAGE"].read_text(encoding="utf-8")))
    files = {each.name: each for each in GALLERY["FOLDER"].glob("*.png")}
    assert shown == set(files)
    assert all(is_figure(each) and each.stat().st_size < 160_000 for each in files.values())


@pytest.mark.parametrize("match", GALLERY["MATCHES"], ids=lambda match: match.name)
def test_the_matches_are_those_that_were_drawn(match):
    regret_samples = NUMBERS["matches"][match.name]
    if FULL or match.adversary == "alternating":
        assert GALLERY["regret_samples"](match.play()) == pytest.approx(regret_samples, rel=1e-6)
    assert len(regret_samples) == GALLERY["KEPT"]


@pytest.mark.parametrize(("learner", "adversary"), PAIRS)
def test_the_tournament_is_the_one_that_was_drawn(learner, adversary):
    runs = [play(learner, adversary, seed=seed, **PLAN["games"][0]) for seed in range(PLAN["seeds"])]
    mean = sum(run.regret[-1] for run in runs) / len(runs)
    assert mean == pytest.approx(NUMBERS["tournament"][f"{learner} against {adversary}"], rel=1e-6, abs=1e-9)
