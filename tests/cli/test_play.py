"""`arena play`: output, files and exit codes."""

import json
import re
from pathlib import Path

import pytest

from arena import Game, Transcript
from arena.engine.long_matches import HINDSIGHT_TIME, LONG
from arena.hindsight.comparator import EXACT_LIMIT, FEW_POINTS, INSISTED_LIMIT
from arena.specs.spelling import spec_text


def test_a_match_ends_with_verdicts_and_the_command_that_repeats_it(arena):
    result = arena("play", "kernel-awv", "greedy", "--rounds", 30)
    assert result.exit_code == 0
    assert "awv-leverage: holds" in result.output
    assert "Again: arena play kernel-awv greedy --rounds 30" in result.output
    assert "under the bound of awv-leverage" in result.output


def test_the_repeating_command_gives_the_same_match(arena):
    first = json.loads(arena("play", "krr", "greedy(starts=16)", "--rounds", 20, "--kernel", "laplacian(bandwidth=2)",
                             "--box", "[0,2]", "--seed", 7, "--bound", "awv-logdet", "--json").output)  # fmt: skip
    import shlex

    second = json.loads(arena(*shlex.split(first["command"])[1:], "--json").output)
    for result in (first, second):
        del result["seconds"]
    assert first == second


def test_the_regret_of_other_losses_is_known_at_the_end(arena):
    words = ("play", "fgd", "alternating", "--rounds", 50, "--loss", "hinge")
    low, high = json.loads(arena(*words, "--json").output)["regret_interval"]
    assert low <= high < low + 1e-6
    assert f"regret  {low:>18.6g}   beyond the best penalised predictor" in arena(*words).output
    assert "unknown" in arena(*words, "--hindsight", "none").output


def test_a_claimed_theorem_can_be_violated(arena):
    result = arena("play", "krr", "greedy", "--dimension", 5, "--rounds", 80, "--bound", "awv-logdet")
    assert result.exit_code == 1
    assert "awv-logdet: violated" in result.output


def test_no_theorem_of_another_learner_is_claimed_by_default(arena):
    result = arena("play", "krr", "greedy", "--rounds", 30)
    assert result.exit_code == 0
    assert "awv" not in result.output


def test_bound_none_judges_nothing(arena):
    result = arena("play", "krr", "greedy", "--rounds", 30, "--bound", "none")
    assert result.exit_code == 0
    assert "No theorem was judged" in result.output


def test_several_bounds(arena):
    result = json.loads(arena("play", "kernel-awv", "alternating", "--bound", "ogd", "--bound", "awv-logdet",
                              "--bound", "ridge-identity", "--json").output)  # fmt: skip
    outcomes = {verdict["name"]: verdict["outcome"] for verdict in result["verdicts"]}
    assert outcomes["awv-logdet"] == "holds"
    assert outcomes["ridge-identity"] == "violated"
    assert "ogd" in outcomes


def test_json_is_one_object_with_the_promised_keys(arena):
    result = json.loads(arena("play", "kernel-awv", "alternating", "--rounds", 50, "--json").output)
    promised = {"learner", "adversary", "rounds", "loss", "regret", "plain_regret", "bound", "tightness", "verdicts",
                "seconds"}  # fmt: skip
    assert promised <= set(result)
    assert result["rounds"] == 50
    assert result["tightness"] == pytest.approx(result["regret"] / result["bound"])


def test_json_has_null_where_nothing_is_known(arena):
    result = json.loads(arena("play", "zero", "alternating", "--hindsight", "none", "--json").output)
    assert result["regret"] is None
    assert result["bound"] is None


def test_save_and_report(arena, tmp_path):
    result = arena("play", "kernel-awv", "greedy", "--rounds", 20, "--save", "m.npz", "--report", "m.html")
    assert result.exit_code == 0
    assert Transcript.load(tmp_path / "m.npz").rounds == 20
    assert "<svg" in (tmp_path / "m.html").read_text()
    assert "m.npz" in result.output
    assert "m.html" in result.output


@pytest.mark.parametrize(("bound", "hindsights"), [("awv-logdet", 1), ("awv-logdet(regularisation=2)", 2)])
def test_a_match_is_saved_before_it_is_judged_and_again_with_its_judgement(
    arena, tmp_path, monkeypatch, bound, hindsights
):
    seen, save, judgement = [], Transcript.save, Transcript.judgement
    monkeypatch.setattr(Transcript, "save", lambda run, path: seen.append("save") or save(run, path))
    monkeypatch.setattr(Transcript, "judgement", lambda run, bound: seen.append("judge") or judgement(run, bound))
    arena("play", "kernel-awv", "alternating", "--rounds", "5", "--save", "match.npz", "--bound", bound)
    assert seen == ["save", "judge", "save"]
    kept = Transcript.load(tmp_path / "match.npz")
    assert len(kept.comparator.exact) == hindsights
    assert kept.judged.claims == (bound,)


def test_a_theorem_that_does_not_apply_gives_the_reason(arena, write):
    path = write("loud.py", "class Loud:\n    def predict(self, x): return 3.0\n    def update(self, x, y): pass\n")
    result = arena("play", f"{path}:Loud", "alternating", "--bound", "clipped-krr")
    assert result.exit_code == 2
    assert "not applicable: predictions within [-1, 1] (largest 3)" in result.output


def test_a_learner_in_a_file_needs_two_methods(arena, write):
    path = write(
        "mine.py",
        "class Mean:\n"
        "    def __init__(self, start=0.0):\n"
        "        self.start, self.sum, self.count = start, start, 1\n"
        "    def predict(self, x):\n"
        "        return self.sum / self.count\n"
        "    def update(self, x, y):\n"
        "        self.sum += y\n"
        "        self.count += 1\n",
    )
    result = arena("play", f"{path}:Mean(start=0.5)", "greedy", "--rounds", 25)
    assert result.exit_code == 0
    assert "mine.py:Mean(start=0.5) against greedy" in result.output
    assert "Again: arena play './mine.py:Mean(start=0.5)' greedy" in result.output


def test_as_a_process_without_a_terminal_there_are_no_escape_codes(arena_process):
    done = arena_process("play", "kernel-awv", "greedy", "--rounds", "30")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr
    assert "awv-leverage: holds" in done.stdout


def test_plain_progress_prints_rate_and_time_left(capsys):
    from rich.console import Console

    from arena.cli import progress

    shown = progress.MatchProgress(Console(stderr=True, force_terminal=False, width=200), rounds=1000)
    shown.started -= 20.0
    shown.last -= progress.PLAIN_EVERY
    shown(250)
    shown(251)  # too soon for another line
    assert capsys.readouterr().err == "250 of 1,000 rounds, 12 a second, about 60 s left\n"


def test_live_progress_on_a_terminal():
    import io

    from rich.console import Console

    from arena.cli import progress

    screen = io.StringIO()
    with progress.MatchProgress(Console(file=screen, force_terminal=True, width=120), rounds=1000) as shown:
        shown.started -= 2.0
        shown.last -= 1.0
        shown(500)
        assert shown.bar is not None
        shown.bar.refresh()
    assert "500/1000" in screen.getvalue()
    assert "rounds/s" in screen.getvalue()


def test_the_certification_of_a_hindsight_is_printed(capsys):
    import io

    from rich.console import Console

    from arena.cli import progress

    plain = progress.MatchProgress(Console(stderr=True, force_terminal=False, width=200), rounds=1000)
    plain.certify("proving both ends", 4096, 581012)  # too soon
    plain.last -= progress.PLAIN_EVERY
    plain.certify("proving both ends", 8192, 581012)
    assert capsys.readouterr().err == "hindsight: proving both ends, 8,192 of 581,012 rows\n"
    screen = io.StringIO()
    with progress.MatchProgress(Console(file=screen, force_terminal=True, width=120), rounds=1000) as live:
        live.last -= 1.0
        live.certify("choosing features", 500, 9000)
        assert live.bar is not None
        live.bar.refresh()
    assert "hindsight: choosing features" in screen.getvalue()
    assert "500/9000" in screen.getvalue()


def test_output_of_a_learner_does_not_enter_the_json(arena_process, write):
    path = write(
        "chatty.py",
        "class Chatty:\n    def predict(self, x): print('hello'); return 0.0\n    def update(self, x, y): pass\n",
    )
    done = arena_process("play", f"{path}:Chatty", "alternating", "--rounds", 3, "--json")
    assert json.loads(done.stdout)["rounds"] == 3
    assert "hello" in done.stderr


def test_a_saved_match_is_judged_again(arena):
    arena("play", "krr", "greedy", "--rounds", 40, "--save", "m.npz")
    result = arena("judge", "m.npz", "--bound", "awv-logdet", "--bound", "auto", "--report", "m.html")
    assert result.exit_code == 1
    assert "awv-logdet: violated" in result.output
    assert "ridge-identity: holds" in result.output
    assert json.loads(arena("judge", "m.npz", "--json").output)["rounds"] == 40


def test_the_help_names_the_limits_and_defaults_that_are_in_force(arena):
    text = " ".join(arena("play", "--help").output.split())
    assert f"exact up to {EXACT_LIMIT:,} rounds or {FEW_POINTS} different points" in text
    assert f"Beyond {INSISTED_LIMIT:,} rounds exact is an interval" in text
    assert f"matches with more than {LONG:,} different points" in text
    defaults = dict(re.findall(r"--([\w-]+) (?:(?! --\w).)*?\[default: (.*?)\](?= )", text))
    game = Game()
    assert float(defaults["hindsight-time"]) == HINDSIGHT_TIME
    assert (int(defaults["rounds"]), int(defaults["dimension"][0])) == (game.rounds, game.dimension)
    assert (defaults["kernel"], defaults["loss"]) == (spec_text(game.kernel), game.loss.name)
    assert (float(defaults["regularisation"]), float(defaults["label-bound"])) == (
        game.regularisation,
        game.label_bound,
    )


def test_rounds_in_scientific_notation(arena):
    assert json.loads(arena("play", "zero", "alternating", "--rounds", "1e3", "--json").output)["rounds"] == 1000


def test_an_identity_does_not_stand_in_for_the_bound(arena):
    """An identity allows only rounding errors, so the `bound` of the JSON output is of the first other theorem."""
    result = json.loads(arena("play", "kernel-awv", "alternating", "--rounds", 20, "--bound", "ridge-identity",
                              "--bound", "awv-identity", "--bound", "awv-logdet", "--json").output)  # fmt: skip
    assert [verdict["name"] for verdict in result["verdicts"]][-1] == "awv-logdet"
    assert result["bound"] == result["verdicts"][-1]["allowed"]
    alone = arena("play", "krr", "alternating", "--rounds", 20)
    assert "bound of" not in alone.output
    assert "regret over the rounds" in alone.output


def test_the_curve_fits_into_a_narrow_terminal(arena, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = arena("play", "krr", "greedy", "--rounds", 30).output.splitlines()
    assert sum("┤" in line for line in lines) == 9
    assert max(len(line) for line in lines if "┤" in line) <= 40


def test_data_that_is_scaled_is_announced(arena):
    """If `replay` scales the labels, a note gives the units of the losses."""
    Path("far.csv").write_text("a,y\n1,3\n2,5\n3,9\n")
    Path("near.csv").write_text("a,y\n0.1,0.3\n0.2,-0.5\n")
    result = arena("play", "krr", "replay(file=far.csv)", "--report", "far.html", "--save", "far.npz")
    remark = "each coordinate was stretched to fit into the box and the labels were moved from [3, 9] to [-1, 1]"
    remark += ", where 1 stands for 3 in the data"
    assert f"note: {remark}\n" in result.output
    assert remark in Path("far.html").read_text()
    assert Transcript.load("far.npz").header["remark"] == remark
    assert json.loads(arena("play", "krr", "replay(file=far.csv)", "--json").output)["remark"] == remark
    assert "note:" not in arena("play", "krr", "replay(file=near.csv)").output
    assert json.loads(arena("play", "krr", "replay(file=near.csv)", "--json").output)["remark"] == ""


def test_the_box_of_a_data_file(arena, write):
    write("d.csv", "temp,price,y\n-3,100,1\n5,250,2\n")
    result = arena("play", "zero", "alternating", "--box", "d.csv", "--rounds", 5)
    assert result.output.endswith("Again: arena play zero alternating --rounds 5 --box d.csv\n")
    assert arena("play", "zero", "alternating", "--box", "none.csv").exit_code == 2
