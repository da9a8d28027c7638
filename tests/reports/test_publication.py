"""`arena report --figures` writes the right files, numbers and colours, with the same bytes in every run."""

import numpy as np
import pytest

from arena import ArenaError, Store, Tournament, play
from arena.plotting.style import COLOURS
from arena.reports.publication import figures_of, is_figure, slug, write_figures
from arena.reports.regret_curves import closest_theorem, pair_curves
from arena.reports.sources import Matches
from arena.tournament.figures import FigureData, tournament_figure

LEARNERS, ADVERSARIES = ["krr", "kernel-awv"], ["alternating", "drift"]


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures") / "store"
    plan = Tournament(LEARNERS, ADVERSARIES, [{"rounds": 40}], seeds=3, bounds=["auto", "awv-logdet"])
    return plan.run(store=folder, workers=1)


@pytest.fixture(scope="module")
def folder(result):
    return result.store.folder


@pytest.fixture(scope="module")
def figures(folder):
    return {name: draw() for name, draw in figures_of(Matches([folder]))}


def test_every_kind_of_figure_is_there(figures):
    names = {"ranking", "tightness", "time", "size"}
    names |= {f"{kind}-against-{each}" for each in ADVERSARIES for kind in ("regret", "growth")}
    names |= {f"regret-of-{each}" for each in LEARNERS}
    assert set(figures) == names  # and none of single matches, of which there are many


def test_curves_are_the_means_of_the_transcripts(folder, figures):
    store = Store(folder)
    for adversary in ADVERSARIES:
        for learner in LEARNERS:
            runs = [
                store.transcript(each.key)
                for each in store.summaries()
                if (each.learner, each.adversary) == (learner, adversary)
            ]
            mean = np.mean([run.regret for run in runs], axis=0)
            drawn = [line.get_ydata() for line in figures[f"regret-against-{adversary}"].axes[0].lines]
            assert any(len(each) == 40 and np.allclose(each, mean, rtol=1e-12, atol=1e-12) for each in drawn)


def test_a_learner_has_one_colour_and_marker_in_every_figure(folder, figures):
    looks = FigureData.of(Matches([folder]).tables()).looks
    assert [each.colour for each in looks.values()] == list(COLOURS[:2])
    for name, drawn in figures.items():
        if name in ("tightness", "size") or drawn is None:
            continue
        shown = {(line.get_color(), line.get_marker()) for line in drawn.axes[0].lines if line.get_marker() in "os"}
        if name.startswith("regret-of-"):
            learner = name.removeprefix("regret-of-")
            assert {colour for colour, _ in shown} == {looks[learner].colour}
        else:
            assert shown == {(each.colour, each.marker) for each in looks.values()}, name


def test_growth_is_the_fitted_power(folder, figures):
    curves = list(pair_curves(Matches([folder]), list(Store(folder).summaries())))
    one = next(each for each in curves if (each.learner, each.setting[0]) == ("krr", "drift"))
    late = one.x >= 5
    slope = np.polyfit(np.log(one.x[late]), np.log(one.mean[late]), 1)[0]
    assert one.growth == pytest.approx(slope, abs=0.05)
    axes = figures["growth-against-drift"].axes[0]
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    assert any(f"krr  ~ T^{one.growth:.2f}" in each.get_text() for each in axes.texts)


def test_the_matrix_frames_violations(result, figures):
    violated = {(each.learner, each.adversary) for each in result.summaries() if each.violated}
    assert violated
    frames = [each for each in figures["tightness"].axes[0].patches if each.get_linewidth() > 1.2]
    assert len(frames) == len(violated)
    assert f"{len(violated)} of 4 pairings violate a bound" in [each.get_text() for each in figures["tightness"].texts]


def test_the_result_of_a_tournament_has_figures(result):
    ranks = {each.learner: each.rank for each in result.ranking().standings}
    drawn = result.figure()
    found = [each.get_xdata()[0] for each in drawn.axes[0].lines if len(each.get_xdata()) == 1]
    assert found == sorted(ranks.values())
    assert result.figure("tightness", columns="two").get_figwidth() == 7.0
    with pytest.raises(ArenaError, match="no 'height'"):
        result.figure("height")
    with pytest.raises(ArenaError, match="no figure of size"):
        result.figure("size")


def test_files_are_the_same_in_every_run_and_only_figures_are_replaced(folder, tmp_path):
    files = [each.path for each in Store(folder).summaries() if (each.adversary, each.seed) == ("drift", 0)]
    first = write_figures(Matches(files), tmp_path / "one", kind="svg")
    second = write_figures(Matches(files), tmp_path / "two", kind="svg")
    assert [each.name for each in first] == [each.name for each in second]
    assert len({each.name for each in first}) == len(first) >= 6
    assert all(one.read_bytes() == other.read_bytes() for one, other in zip(first, second, strict=True))
    assert all(map(is_figure, first))
    (tmp_path / "two" / "ranking.svg").write_text("<svg>mine</svg>")
    with pytest.raises(ArenaError, match=r"ranking\.svg"):
        write_figures(Matches(files), tmp_path / "two", kind="svg")


def test_one_file_gives_the_figure_of_its_match(tmp_path):
    run = play("kernel-awv", "alternating", rounds=20)
    paths = write_figures(Matches([run.save(tmp_path / "one.npz")]), tmp_path / "figures", kind="png")
    names = {each.name for each in paths}
    assert names == {"growth-against-alternating.png", "match-kernel-awv-against-alternating-seed-0.png"}
    assert slug("../../etc/passwd") == "etc-passwd"


def test_the_theorem_that_is_drawn_bounds_the_regret_in_all_seeds(folder):
    summaries = [each for each in Store(folder).summaries() if each.learner == "kernel-awv"]
    assert closest_theorem(summaries) == "awv-leverage"
    assert closest_theorem([]) == ""


def test_bounds_of_others_are_left_out_where_a_learner_has_its_own(figures):
    ends = [each.get_text().strip() for each in figures["regret-against-drift"].axes[0].texts]
    assert [each for each in ends if each.startswith("bound")] == ["bound awv-leverage"]


def test_few_matches_have_no_ranking():
    alone = FigureData.of([])
    assert tournament_figure(alone, "ranking") is None
    assert tournament_figure(alone, "tightness") is None
    assert tournament_figure(alone, "time") is None


def test_regrets_of_other_losses_are_drawn_at_a_few_rounds(tmp_path):
    runs = [play("fgd", "drift", rounds=40, seed=seed, loss="hinge") for seed in range(2)]
    matches = Matches([run.save(tmp_path / f"{run.seed}.npz") for run in runs])
    (curve,) = pair_curves(matches, list(matches.tables()))
    assert curve.x[-1] == 40
    assert 8 <= len(curve.x) < 15
    last = np.mean([run.final_regret[1] for run in runs])
    assert curve.mean[-1] == pytest.approx(last, rel=1e-6)
