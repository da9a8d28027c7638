"""Workers of the pool's server: other hashes of strings, and no second run of a script without a guard."""

import os
import subprocess
import sys

TASK = 'def task(number, channel):\n    return hash("arena")\n'
SCRIPT = """
from arena.engine.workers import work_off
from task import task

print("the script runs")
events = [event.content for event in work_off(task, [0, 1], workers=1, runs_script=False) if event]
print(events[0] == events[1] != hash("arena"))
"""


def test_a_script_without_a_guard_may_use_workers_with_other_hashes(tmp_path):
    (tmp_path / "task.py").write_text(TASK)
    (tmp_path / "script.py").write_text(SCRIPT)
    words, environment = [sys.executable, str(tmp_path / "script.py")], {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert done.stdout.splitlines() == ["the script runs", "True"], done.stderr
