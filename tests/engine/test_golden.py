"""Golden transcripts are played again here, and as other processors play them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import arena_tests
from arena_tests.golden import difference, known, title

PROCESSORS = [  # the first and the last in time, and a C library and NumPy without the newer instructions
    {"OPENBLAS_CORETYPE": "Prescott"},
    {"OPENBLAS_CORETYPE": "SkylakeX"},
    {
        "OPENBLAS_CORETYPE": "Nehalem",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    },
]


@pytest.mark.parametrize("golden", known(), ids=title)
def test_a_match_is_the_one_in_the_file(golden):
    """If it is another one on purpose, raise `ALGORITHM` in arena/tournament/plan.py, and write the file anew."""
    assert not difference(golden)


@pytest.mark.parametrize("settings", PROCESSORS, ids=lambda settings: settings["OPENBLAS_CORETYPE"])
def test_another_processor_plays_the_same_matches(settings):
    place = str(Path(arena_tests.__file__).parents[1])
    environment = os.environ | settings | {"PYTHONPATH": place}
    command = [sys.executable, "-W", "ignore", "-m", "arena_tests.golden"]
    found = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, ""), found.stderr
