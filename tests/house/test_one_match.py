"""A reader can follow a short match: the command passes few functions, and they do not call each other deeply."""

import json
import subprocess
import sys

MOST, DEEPEST = 256, 21  # a little above what a match passes today

PROGRAM = """
import json, sys
from arena.cli import main

functions, deepest = set(), 0

def is_ours(frame):
    return frame.f_globals.get("__name__", "").startswith("arena.") and frame.f_code.co_filename != "<string>"

def note(frame, event, _):
    global deepest
    if event != "call" or not is_ours(frame):
        return
    path, above = [], frame
    while above is not None:
        if is_ours(above):
            path.append(above.f_code.co_qualname)
        above = above.f_back
    if "<module>" in path or path[0].endswith("comp>") or path[0].endswith("<genexpr>"):
        return  # what runs while a module is imported, and comprehensions, which belong to their function
    functions.add(frame.f_globals["__name__"] + " " + path[0])
    deepest = max(deepest, len(path))

sys.setprofile(note)
try:
    main(sys.argv[1:])
finally:
    sys.setprofile(None)
    print(json.dumps({"functions": sorted(functions), "deepest": deepest}), file=sys.stderr)
"""


def test_a_match_passes_few_functions(tmp_path):
    words = ["play", "kernel-awv", "greedy", "--rounds", "3"]
    command = [sys.executable, "-c", PROGRAM, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=120)
    seen = json.loads(done.stderr.splitlines()[-1])
    functions = seen["functions"]
    assert "arena.learners.awv KernelAWV.peek" in functions  # the count is of the match, not of nothing
    assert len(functions) <= MOST, (
        f"a 3-round match passes {len(functions)} functions, but a reader should meet at most {MOST}: join steps that "
        "only pass their arguments on, and call nothing that has nothing to do here. It passes:\n"
        + "\n".join(functions)
    )
    assert seen["deepest"] <= DEEPEST, f"calls are {seen['deepest']} deep, but at most {DEEPEST} are wanted"
