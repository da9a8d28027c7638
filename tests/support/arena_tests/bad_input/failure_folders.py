"""Generated folders of failures whose files are damaged, forged, or not the arena's."""

from __future__ import annotations

import json
from random import Random

from arena_tests.bad_input.playground import Case, Playground
from arena_tests.bad_input.transcripts import JSON, transcript


def failure_folder(number: int, ground: Playground) -> Case:
    """Return a case for folder `number`: its files, and a command of `arena failures` that reads it."""
    random = Random(f"failure folder {number}")
    files, name = {}, ground.failure
    entry = f"store/failures/{name}.json"
    for _ in range(random.choice([1, 1, 2])):
        kind = random.random()
        if kind < 0.4:
            content = json.loads(ground.kept[entry])
            key = random.choice([*content])
            if random.random() < 0.15:
                del content[key]
            else:
                content[key] = random.choice(JSON)
            files[entry] = json.dumps(content, indent=random.choice([1, 1, 1, None])).encode()
        elif kind < 0.6:
            whole = ground.kept[entry]
            at = random.randrange(len(whole))
            files[entry] = random.choice(
                [whole[:at], whole[at:], whole[:at] + b"\x00\xff" + whole[at:], b"", b"[" * 9999]
            )
        elif kind < 0.85:
            spoilt = transcript(random.randrange(10**6)).files["bad.npz"]
            files[f"store/failures/{name}.{random.choice(['worst', 'smallest'])}.npz"] = spoilt
        else:
            files[f"store/failures/{random.choice(['results', 'notes', 'aaaaaaaaaaaa'])}.json"] = b'{"format": 1}'
    words = [
        "failures",
        *random.choice([["list"], ["list", "--json"], ["show"], ["show", name[:4]], ["promote", "--to", "."]]),
    ]
    if random.random() < 0.15:
        words = ["failures", "clear"]
    words += ["--folder", "store"] + ["--trust"] * (random.random() < 0.1 and words[1] in ("show", "promote"))
    return Case(words, (0, 2), files)
