"""Tournaments of classes that are defined in a script, which workers must import."""

import subprocess
import sys

from arena_tests.tournaments import environment

SCRIPT = """
from arena import Tournament, play_series


class Mean:
    def __init__(self):
        self.sum = self.count = 0

    def predict(self, x):
        return self.sum / max(self.count, 1)

    def update(self, x, y):
        self.sum, self.count = self.sum + y, self.count + 1


{guard}
    result = Tournament([Mean], ["drift"], [{{"rounds": 5}}], 4).run(workers=2)
    print(result.played, len(play_series(Mean, "drift", seeds=3, rounds=5, workers=2).results))
"""


def run(tmp_path, guard):
    (tmp_path / "script.py").write_text(SCRIPT.format(guard=guard))
    return subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=100, env=environment(),
        check=False,
    )  # fmt: skip


def test_a_guarded_script_plays_its_own_class_on_workers(tmp_path):
    done = run(tmp_path, "if __name__ == '__main__':")
    assert done.stdout == "4 3\n", done.stderr


def test_a_script_without_a_guard_gets_a_message_with_a_way_out(tmp_path):
    done = run(tmp_path, "if True:")
    assert done.returncode != 0
    assert "Try workers=1" in done.stderr
