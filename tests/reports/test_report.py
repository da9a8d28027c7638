"""The report as text: its sentences, tables and drawings, without a browser."""

import dataclasses
import html
import itertools
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from markupsafe import escape

from arena import ArenaError, Learner, Theorem, play
from arena.engine.match import Interrupted
from arena.players.moves import GivenMoves
from arena.record.judgement import Judgement
from arena.reports import point_figure, round_figures
from arena.reports.assertions import section
from arena.reports.assertions import write_page as write_assertions
from arena.reports.folder import write_matches
from arena.reports.page import report, write_report
from arena.reports.sources import Matches
from arena.reports.summary import facts
from arena.specs.building import build
from arena.testing.session import Observation
from arena.theorems.formulas import formula_html
from arena_tests import FULL
from arena_tests.pages import text_of
from arena_tests.players import Answers

HOSTILE = "<script>alert('x')</script>\"&$_{"


class Stingy(Theorem):
    """A theorem whose bound is below every regret from round 40 on."""

    name, statement, paper = "stingy", "R <= 1 at first", f"{HOSTILE} 2026"

    def allowed(self, run):
        return np.where(np.arange(1, run.rounds + 1) < 40, 100.0, -100.0)


def drawings_of(page):
    return [
        ET.fromstring(each) for each in re.findall(r'<svg xmlns=.*?class="(?:wide|narrow)".*?</svg>', page, re.DOTALL)
    ]


def lines_of(drawing):
    """Return the corners of every line of the drawing, in pixels."""
    paths = [each.get("d") for each in drawing.iter("{http://www.w3.org/2000/svg}path")]
    return [np.array(re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path), dtype=float) for path in paths]


@pytest.fixture(scope="module")
def run():
    return play("kernel-awv", "greedy(starts=32)", rounds=60)


@pytest.fixture(scope="module")
def page(run):
    return report(run)


def test_the_headline_names_the_match_and_the_verdict(run, page):
    text = text_of(page)
    assert "kernel-awv against greedy(starts=32)" in text
    assert "✓ Bounds kept" in text
    assert f"The regret is {run.regret[-1]:.4g} where awv-leverage allows" in text
    assert "the tightest of 3 on the regret" in text
    assert "arena play kernel-awv 'greedy(starts=32)' --rounds 60" in text


def test_verdicts_show_their_assumptions_with_measured_values(page):
    text = text_of(page)
    for theorem in ("awv-leverage", "awv-logdet", "awv-effective-dimension"):
        assert f"{theorem} ✓ holds" in text
    assert "labels within [-1, 1] ✓ yes largest 1" in text
    assert "Jezequel, Gaillard and Rudi 2019, Proposition 1" in text
    assert "bandwidth = 1" in text


def test_the_same_transcript_gives_the_same_bytes(run, page, tmp_path):
    path = tmp_path / "kept.npz"
    run.save(path)
    assert report(type(run).load(path)) == page
    assert write_report(run, tmp_path / "page.html").read_text(encoding="utf-8") == page


def test_verdicts_that_are_given_are_not_computed_again(run, page, monkeypatch):
    judgement = run.judgement()
    monkeypatch.setattr(type(run), "judgement", lambda *_: pytest.fail("the match was judged again"))
    assert report(run, judgement=judgement) == page


def test_the_page_shows_versions_and_machine_and_no_other_entry_of_the_header():
    run = play("zero", "drift", rounds=5)
    run.header |= {"features_named_by_adversary": "yes", "hindsight_time": 7.25}
    text = text_of(report(run))
    assert f"numpy {np.__version__}" in text
    assert "features_named_by_adversary" not in text
    assert "hindsight_time" not in text


def test_the_command_of_an_isolated_match_isolates_it_again():
    run = play("zero", "drift", rounds=5)
    assert "--isolate" not in report(run)
    run.header["isolate"] = "yes"
    assert "arena play zero drift --rounds 5 --isolate" in text_of(report(run))


def test_the_page_loads_nothing(page):
    assert "default-src 'none'" in page
    addresses = set(re.findall(r'(?:src|href|action|content)="([^"]*)"', page)) | set(
        re.findall(r"url\(([^)]*)\)", page)
    )
    assert not [each for each in addresses if re.match(r"(https?:)?//", each)]
    assert not re.search(
        r"<(script|iframe|img|object|embed|link(?! rel=\"icon\" href=\"data:,\"))|@import|\son\w+=", page
    )


def test_ids_are_unique_and_every_reference_exists(page):
    ids = re.findall(r'\sid="([^"]*)"', page)
    references = re.findall(r'(?:href="#|url\(#)([^")]*)', page)
    references += [
        each for group in re.findall(r'aria-(?:labelled|described)by="([^"]*)"', page) for each in group.split()
    ]
    assert len(ids) == len(set(ids))
    assert references
    assert set(references) <= set(ids)


def test_tables_have_roles_since_the_style_makes_them_blocks(page):
    for tag, role in (("table", "table"), ("tr", "row"), ("td", "cell")):
        found = re.findall(rf"<{tag}\b[^>]*>", page)
        assert found
        assert all(f'role="{role}"' in each for each in found)


def test_drawings_take_every_colour_from_the_page(page):
    drawings = drawings_of(page)
    assert len(drawings) == 16  # regret, deviation, loss, moves, points, dimension, leverage and time, twice
    attributes = [each.attrib for drawing in drawings for each in drawing.iter()]
    colours = {each[name] for each in attributes for name in ("fill", "stroke") if name in each} - {"none"}
    assert all(re.fullmatch(r"var\(--[\w-]+\)", colour) for colour in colours)
    assert not [each for each in attributes if "style" in each]
    used = {colour[6:-1] for colour in colours}
    light, dark = re.findall(r":root \{[^}]*\}", page)[:2]
    assert used
    assert all(f"--{name}:" in light and f"--{name}:" in dark for name in used)
    assert all(drawing.get("role") == "img" and drawing[0].text and drawing[1].text for drawing in drawings)


def test_a_violated_bound_is_marked_in_text_and_picture(run):
    page = report(run, bound=[Stingy(), "awv-logdet"])
    text = text_of(page)
    assert "✕ Bound broken" in text
    assert "first in round 40" in text
    assert "✕ violated" in text
    assert "round 40, by" in text
    drawn = [each.text for drawing in drawings_of(page) for each in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert drawn.count("exceeded in round 40") == 2  # for desks and for phones


@pytest.fixture(scope="module")
def undecided():
    """A match whose regret is known in an interval that is too wide for a verdict."""
    run = play("kernel-awv", "repeated(points=20)", rounds=60, hindsight="interval")
    run.comparator.interval(features=0)
    assert [each.outcome for each in run.verdicts()[:3]] == 3 * ["undecided"]
    return run


def test_each_undecided_verdict_has_its_reason_and_no_share(undecided):
    page = report(undecided)
    text = text_of(page)
    for verdict in undecided.verdicts()[:3]:
        assert verdict.reason.startswith("regret between ")
        assert f"{verdict.theorem} ○ undecided {verdict.reason}" in text
    assert "never" not in text
    assert "used)" not in html.unescape(page)


def test_one_end_of_an_interval_is_not_shown_as_the_regret(undecided):
    largest = undecided.final_regret[1]
    text = text_of(report(undecided))
    assert f"regret, at most {largest:.4g} at the end" in text
    assert "known in an interval only: the curves are those of its upper end" in text
    kept = play("kernel-awv", "repeated(points=20)", rounds=60, hindsight="interval")
    kept.comparator.interval(features=16)
    least, largest = kept.final_regret
    assert f"{least:.4g}" != f"{largest:.4g}"
    assert f"The regret is at most {largest:.4g} where awv-leverage allows" in text_of(report(kept))
    kept.comparator.interval(features=20)  # both ends have the same digits
    assert "at most" not in kept.judgement().headline.sentence


def test_a_report_of_assertions_shows_why_a_verdict_is_undecided(undecided, tmp_path):
    observed = Observation("assert_regret", undecided, undecided.verdicts(), 1, undecided.rounds)
    match = {"learner": "", "adversary": "", "assertion": "", "matches": 1, "rounds": 60, "assertions": 1}
    found = section("one", "test_one", observed, {**match, "tightness": None})
    text = text_of(write_assertions([found], tmp_path / "page.html").read_text(encoding="utf-8"))
    verdict = undecided.verdicts()[0]
    assert f"awv-leverage ○ undecided {verdict.reason}" in text


def test_the_capitals_of_a_reason_are_kept():
    """A verdict without assumptions has its reason as a sentence."""
    run = play("zero", "drift", rounds=5)
    verdict = dataclasses.replace(run.verdict(Stingy()), outcome="not applicable", reason="distance in the RKHS of K_T")
    text = text_of(report(run, judgement=Judgement((verdict,))))
    assert "Distance in the RKHS of K_T." in text


def test_text_of_users_is_escaped():
    class Hostile(Learner):
        name = HOSTILE

        def predict(self, x):
            raise RuntimeError(HOSTILE)

        def update(self, x, y):
            pass

    forfeited = play(Hostile(), "alternating", rounds=3)
    strange = play("zero", "alternating", rounds=12)
    strange.learner = strange.adversary = HOSTILE
    strange.header = {HOSTILE: HOSTILE}
    for page in (report(forfeited), report(strange, bound=[Stingy()])):
        assert "<script" not in page
        assert str(escape(HOSTILE)) in page
    assert all(HOSTILE in drawing[1].text for drawing in drawings_of(page)[:2])


def test_a_foul_before_the_first_round_is_a_page_without_pictures():
    class Unwilling(Answers):
        def begin(self, game, rng):
            raise ValueError("no scales")

    page = report(play(Unwilling([]), "greedy"), bound=["awv-logdet"])
    text = text_of(page)
    assert "✕ Forfeit The learner forfeits before the first round" in text
    assert "no scales" in text
    assert "○ not applicable" in text
    assert not drawings_of(page)


def test_a_foul_in_a_later_round_keeps_the_rounds_before():
    page = report(play(Answers([0.5, 0.5, float("nan")]), "alternating"))
    assert "forfeits in round 3: the prediction is nan." in text_of(page)
    assert "ended after 2 of 200 rounds" in text_of(page)
    assert drawings_of(page)


def test_one_round_is_enough_for_every_picture():
    for dimension in (1, 2, 3):
        page = report(play("kernel-awv", "alternating", rounds=1, dimension=dimension))
        assert "Rounds 1 of 1" in text_of(page)
        assert len(drawings_of(page)) == 16


def test_without_hindsight_the_page_gives_the_reason_and_shows_the_rest():
    page = report(play("zero", "alternating", rounds=50, hindsight="none"))
    text = text_of(page)
    assert "There is no regret to show: hindsight is switched off" in text
    assert "Plain regret" not in text
    assert len(drawings_of(page)) == 12


def test_another_loss_has_a_regret_at_the_end():
    run = play("fgd", "repeated(points=4)", rounds=50, loss="hinge")
    text = text_of(report(run))
    assert f"Regret {run.loss - run.comparator.best().upper:.4g} beyond" in text
    assert "There is no regret to show" not in text


def test_a_report_of_assertions_shows_both_ends_of_a_wide_interval():
    game = {"rounds": 60, "loss": "hinge"}
    for regularisation, wide in ((1e-11, True), (0.1, False)):
        run = play("fgd", "repeated(points=7, labels=contrary)", regularisation=regularisation, **game)
        seen = Observation("assert_regret", run, [], 1, run.rounds)
        sums = {"assertions": 1, "failed": 0, "matches": 1, "rounds": run.rounds, "tightness": None}
        ends = [f"{end:.4g}" for end in run.final_regret]
        assert (ends[0] != ends[1]) == wide
        assert section("one", "test_one", seen, sums)["regret"] == (" to ".join(ends) if wide else ends[0])


def test_a_negative_regret_uses_no_part_of_a_bound():
    labels = np.where(np.arange(60) % 2, 1.0, -1.0)
    page = report(play(Answers(labels), GivenMoves(np.zeros((60, 2)), labels), rounds=60), bound=["awv-logdet"])
    text = text_of(page)
    assert "less than the comparator paid" in text
    assert "awv-logdet ✓ holds −" in text  # noqa: RUF001
    assert not re.search(r"−\S+ %", text)  # noqa: RUF001


def test_names_stand_at_the_ends_of_curves_and_do_not_cover_each_other(run, page):
    wide = next(each for each in drawings_of(page) if each.get("class") == "wide")
    texts = [each for each in wide.iter("{http://www.w3.org/2000/svg}text") if each.get("text-anchor") == "end"]
    names = {each.text: float(each.get("y")) for each in texts if each.text in {"regret", *run.theorems}}
    assert {"regret", "awv-effective-dimension"} <= set(names)
    assert all(abs(a - b) >= 12 for a, b in itertools.combinations(names.values(), 2))


@pytest.mark.parametrize(("learner", "adversary"), [("kernel-awv", "greedy"), ("krr", "alternating"), ("fgd", "drift")])
def test_the_tile_of_the_regret_and_the_headline_name_one_theorem(learner, adversary):
    bound = ["awv-leverage", "awv-logdet", "awv-effective-dimension", "ogd"]
    played = play(learner, adversary, rounds=40)
    judgement = played.judgement(bound)
    tile = next(word for name, _, word in facts(played, judgement) if name == "Regret")
    theorem = tile.rpartition(" of ")[2]
    assert theorem in bound
    assert re.search(rf"{theorem} (allows|is violated)", judgement.headline.sentence)


def test_a_comparator_that_is_known_at_the_end_alone_has_no_curve():
    compared = play("krr", "drift", rounds=30, comparators=["norms", "last-label"])
    text = text_of(report(compared))
    assert "to last-label, " in text
    assert "to norms, " not in text.replace("Regret to norms, by", "")
    assert "Regret to norms, by largest |f|" in text


def test_an_interrupted_match_is_marked():
    def stop(done):
        if done == 20:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        play("kernel-awv", "greedy(starts=8)", progress=stop)
    text = text_of(report(caught.value.transcript))
    assert "✓ Bounds kept so far" in text
    assert "interrupted after 20 of 200 rounds" in text


def test_a_side_given_as_an_object_leaves_no_command(run):
    class Unnamed(Answers):
        pass

    page = report(play(Unnamed(30 * [0.1]), "alternating", rounds=30))
    assert "No command repeats this match: the learner was given as an object" in text_of(page)
    assert "arena play" not in page
    assert "--bound awv-logdet --bound awv-leverage" in report(run, bound=["awv-logdet", "awv-leverage"])


def test_huge_values_are_drawn_and_noted():
    page = report(play(Answers(10.0 ** (3 * t) for t in range(100)), "alternating", rounds=100), bound=["awv-logdet"])
    assert "Values beyond 1e+150 are drawn at that level." in text_of(page)
    assert "logarithmic scale" in page
    assert "Learner’s loss ∞" in text_of(page)  # noqa: RUF001
    assert not re.search(r'd="[^"]*(nan|inf)', page)
    learner = next(each for each in drawings_of(page) if each.get("aria-labelledby") == "loss-wide-title")
    assert max(line[:, 0].max() for line in lines_of(learner) if len(line) == 100) > 770  # to the last round


def test_a_long_match_is_downsampled_without_losing_its_spike():
    rounds, spike = (100_000 if FULL else 25_000), 14_197
    generator = np.random.default_rng(0)
    points, labels = generator.uniform(-1, 1, (rounds, 2)), generator.uniform(-0.1, 0.1, rounds)
    labels[spike] = 1.0
    page = report(play("zero", GivenMoves(points, labels), rounds=rounds))
    assert len(page.encode()) < 1_000_000
    wide = next(drawing for drawing in drawings_of(page) if "moves-wide" in ET.tostring(drawing, encoding="unicode"))
    highest = min(
        (line[line[:, 1].argmin()] for line in lines_of(wide) if len(line) > 50), key=lambda corner: corner[1]
    )
    left, right = 54, 800 - 14
    assert abs((highest[0] - left) / (right - left) - spike / rounds) < 0.02
    assert highest[1] < 60  # at the label bound, near the upper edge


def test_an_unwritable_path_is_an_error_and_leaves_no_file(run, tmp_path):
    with pytest.raises(ArenaError, match="cannot write"):
        write_report(run, tmp_path / "no" / "page.html")
    (tmp_path / "taken.html").mkdir()
    with pytest.raises(ArenaError, match="cannot write"):
        write_report(run, tmp_path / "taken.html")
    assert [path.name for path in tmp_path.iterdir()] == ["taken.html"]


def test_the_error_rate_is_shown_for_losses_of_classification():
    signs = GivenMoves(np.zeros((4, 2)), [1, -1, 1, 1])
    output = text_of(report(play(Answers([1.0, 1.0, 0.0, 0.5]), signs, rounds=4, loss="hinge")))
    assert "Error rate 50 % of the signs were wrong" in output.replace("\u202f", " ").replace("\xa0", " ")


def test_a_single_dictionary_size_is_drawn_as_a_dot():
    run = play("pkawv-kors", "drift", rounds=30)
    assert len(run.sizes) == 1
    drawn = [each for each in drawings_of(report(run)) if each.get("aria-labelledby") == "sizes-wide-title"]
    assert len(list(drawn[0].iter("{http://www.w3.org/2000/svg}circle"))) == 1


def test_the_page_of_a_match_has_mathml_for_theorems_and_lower_bounds():
    run = play("kernel-awv", "greedy", rounds=10)
    page = report(run)
    for name in (*run.theorems, "greedy-labels"):
        assert formula_html(build("theorem", name)) in page, name
    assert "R_lambda" not in page


def test_the_page_of_many_matches_has_mathml_in_its_table(tmp_path):
    run = play("kernel-awv", "alternating", rounds=10)
    page = write_matches(Matches([run.save(tmp_path / "one.npz")]), tmp_path / "page.html").read_text(encoding="utf-8")
    assert formula_html(build("theorem", "awv-logdet")) in page[page.index('id="theorem-table"') :]


def test_a_statement_that_parameters_change_stays_text():
    demand = build("theorem", "at-most(comparator=constant)")
    page = report(play("krr", "alternating", rounds=10), bound=[demand])
    assert "<math" not in page
    assert "the number, at the end" in page


@pytest.fixture(scope="module")
def long_run():
    return play("fogd(frequencies=20)", "drift", rounds=3000, dimension=3, hindsight="interval")


def test_a_page_is_the_same_from_the_extremes_of_its_curves(long_run, monkeypatch):
    whole = report(long_run)
    monkeypatch.setattr(round_figures, "LONG", 500)
    monkeypatch.setattr(round_figures, "MANY", 20)
    copied = []
    drawable = round_figures.drawable
    monkeypatch.setattr(round_figures, "drawable", lambda values: copied.append(len(values)) or drawable(values))
    assert report(long_run) == whole
    assert max(copied) < 3000


def test_points_in_cells_do_not_depend_on_the_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(3000, 2)), rng.normal(size=3000)
    whole = point_figure.gathered(points, labels)
    assert not whole.exact
    assert whole.counts.sum() == 3000
    monkeypatch.setattr(point_figure, "ROWS", 70)
    parts = point_figure.gathered(points, labels)
    np.testing.assert_array_equal(parts.counts, whole.counts)
    for name in ("points", "labels", "rounds"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(whole.rounds @ whole.counts, 3000 * 3001 / 2)
