"""Thousands of bad inputs cause no stack trace, no hang, no wrong exit code, and no lost or changed file of the user.

Each input is made from a number, so that a failing input can be made again. With REGRET_ARENA_FULL=1 all inputs are
tried, otherwise the first twelfth of each kind.
"""

import pytest

from arena_tests import FULL
from arena_tests.bad_input.command_lines import command_line
from arena_tests.bad_input.data_files import data_file
from arena_tests.bad_input.failure_folders import failure_folder
from arena_tests.bad_input.playground import Playground
from arena_tests.bad_input.transcripts import transcript

SIZES = {"command lines": 2400, "data files": 1800, "transcripts": 1800, "failure folders": 480}
PARTS = 4  # of each kind, which run side by side
PROCESSES = 60


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    return Playground(tmp_path_factory.mktemp("ground"))


def case_of(kind, number, ground):
    makers = {"command lines": command_line, "data files": data_file, "transcripts": transcript}
    return failure_folder(number, ground) if kind == "failure folders" else makers[kind](number)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", SIZES)
def test_bad_input(kind, part, ground):
    wrong = []
    for number in range(part, SIZES[kind] if FULL else SIZES[kind] // 12, PARTS):
        case = case_of(kind, number, ground)
        if problem := ground.run(case):
            wrong.append(f"{kind} {number}: arena {' '.join(case.words)!r:.300}: {problem}")
    assert not (ground.folder / "unpickled").exists()
    assert not (ground.folder / "owned").exists()
    assert not wrong, f"{len(wrong)} wrong\n" + "\n".join(wrong)


@pytest.mark.parametrize("number", range(PROCESSES if FULL else PROCESSES // 12))
def test_bad_command_lines_in_a_process_of_their_own(number, ground, python):
    case = command_line(number)
    words = [word.replace("\0", "") for word in case.words]
    done = python("-m", "arena", *words, cwd=ground.folder)
    assert done.returncode in case.codes, done.stderr
    assert "Traceback" not in done.stderr
