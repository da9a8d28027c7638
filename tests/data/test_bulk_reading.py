"""Random text gives the same rows whether it is read in bulk or line by line."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.data import files, libsvm, tables

SIGNS = st.lists(st.sampled_from([*'12,, \n\nx\t\r:;#"+-.e', "2.5", "-3e2", "nan", "NA"]), max_size=24)


@settings(max_examples=500)
@given(SIGNS)
def test_bulk_rows_are_those_of_the_slow_twin(signs):
    """Text that can be read in bulk can also be read line by line, and gives the same numbers."""
    text = "".join(signs).encode() + b"\n"
    source = files.DataFile("text", "", None, text)
    for layout in (tables.Layout(delimiter, columns) for delimiter in ", ;" for columns in (1, 2, 3)):
        rows = tables.bulk_rows(layout, text)
        if rows is not None:
            np.testing.assert_array_equal(rows, tables.careful_rows(source, layout, 1, text))


TOKENS = ["1", "2", "-1", "1:2", "2:0.5", "3:1", "0:4", ":", " ", " ", " ", "\n", "x", "qid:3", "# 1:2", "1.5", "\t"]


@settings(max_examples=500)
@given(st.lists(st.sampled_from(TOKENS), max_size=24))
def test_bulk_pairs_are_those_of_the_slow_twin(tokens):
    text = "".join(tokens).encode() + b"\n"
    part = libsvm.bulk_part(text)
    if part is not None:
        careful = libsvm.careful_part(files.DataFile("text", "", None, text), 1, text)
        for name in ("labels", "counts", "indices", "values"):
            np.testing.assert_array_equal(getattr(part, name), getattr(careful, name))
