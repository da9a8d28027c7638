"""Bad input causes no stack trace, no hang, no wrong exit code, and no lost or changed file of the user.

With REGRET_ARENA_FULL=1 thousands of inputs are tried, otherwise a twelfth of them.
"""

import pytest
from hypothesis import example, given, settings

from arena_tests import FULL
from arena_tests.bad_input.command_lines import command_lines
from arena_tests.bad_input.data_files import PICKLED, data_files
from arena_tests.bad_input.failure_folders import failure_folders
from arena_tests.bad_input.playground import Playground
from arena_tests.bad_input.transcripts import transcripts

KINDS = {  # and how many examples at full size
    "command lines": (lambda _: command_lines(), 2400),
    "data files": (lambda _: data_files(), 2880),
    "transcripts": (lambda _: transcripts(), 1800),
    "failure folders": (failure_folders, 720),
}
PROCESSES = 60


def tried(size):
    """Return the settings that try `size` examples at full size."""
    return settings(max_examples=size if FULL else size // 12)


@pytest.fixture(scope="module")
def ground(tmp_path_factory):
    return Playground(tmp_path_factory.mktemp("ground"))


@pytest.mark.parametrize("kind", KINDS)
def test_bad_input(kind, ground):
    cases, size = KINDS[kind]

    @tried(size)
    @given(case=cases(ground))
    @example(case=PICKLED)
    def test(case):
        problem = ground.run(case)
        assert not problem, f"arena {' '.join(case.words)!r:.300}: {problem}"

    test()


@tried(PROCESSES)
@given(case=command_lines())
def test_bad_command_lines_in_a_process_of_their_own(case, ground, python):
    words = [word.replace("\0", "") for word in case.words]
    done = python("-m", "arena", *words, cwd=ground.folder)
    assert done.returncode in case.codes, done.stderr
    assert "Traceback" not in done.stderr
