"""Folders of failures whose files are damaged, forged, or not the arena's."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from arena_tests.bad_input.playground import Case, Playground
from arena_tests.bad_input.transcripts import JSON, transcripts


@st.composite
def failure_folders(draw, ground: Playground):
    """A command of `arena failures` that reads a folder with one or two bad files."""
    name = ground.failure
    entry = f"store/failures/{name}.json"
    files = dict(draw(st.lists(st.one_of(
        st.tuples(st.just(entry), forged(ground.whole[entry]) | torn(ground.whole[entry])),
        st.tuples(st.sampled_from([f"store/failures/{name}.{kind}.npz" for kind in ("worst", "smallest")]),
                  transcripts().map(lambda case: case.files["bad.npz"])),
        st.tuples(st.sampled_from([f"store/failures/{each}.json" for each in ("results", "notes", "a" * 12)]),
                  st.just(b'{"format": 1}')),
    ), min_size=1, max_size=2)))  # fmt: skip
    commands = ["list", "list --json", "show", f"show {name[:4]}", "promote --to .", "clear",
                "show --trust", "promote --to . --trust"]  # fmt: skip
    words = ["failures", *draw(st.sampled_from(commands)).split(" "), "--folder", "store"]
    return Case(words, (0, 2), files)


@st.composite
def forged(draw, content):
    """The entry of a failure with one field deleted or replaced."""
    fields = json.loads(content)
    key, value = draw(st.sampled_from([*fields])), draw(st.just(...) | st.sampled_from(JSON))
    if value is ...:
        del fields[key]
    else:
        fields[key] = value
    return json.dumps(fields, indent=draw(st.sampled_from([1, 1, 1, None]))).encode()


@st.composite
def torn(draw, content):
    at = draw(st.integers(0, len(content) - 1))
    head, tail = content[:at], content[at:]
    return draw(st.sampled_from([head, tail, head + b"\x00\xff" + tail, b"", b"[" * 9999]))
