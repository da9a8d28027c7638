"""Adversaries that play points of another adversary report its data, so that stores notice when the data changes."""

import numpy as np
import pytest

from arena import play
from arena.specs.building import build


@pytest.fixture
def data(tmp_path):
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.random((20, 2)), 100.0 * rng.random(20)])
    np.savetxt(tmp_path / "data.csv", rows, delimiter=",", header="a,b,y", comments="")
    return tmp_path / "data.csv"


@pytest.mark.parametrize(
    "spec",
    [
        "contrarian(source={})", "contaminated(of={})", "concept-drift(of={})", "mixture(of=[{}, alternating])",
        "mixture(of=[{}, {}])", "contrarian(source=contaminated(of={}))",
    ],
)  # fmt: skip
def test_files_and_units_are_those_of_the_other(spec, data):
    replay = f"replay(file={data})"
    adversary = build("adversary", spec.replace("{}", replay))
    assert adversary.files == (str(data),)
    unit = play("zero", replay, rounds=10).header["label_unit"]
    assert unit > 10.0
    run = play("zero", adversary, rounds=10)
    if "drift" in spec:  # it makes room for the labels that it moves
        assert run.header["label_unit"] > unit
    else:
        assert run.header.get("label_unit", 1.0) == (1.0 if "alternating" in spec else unit)
