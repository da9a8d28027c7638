"""A user's class may have attributes whose names mean something to the arena's own classes."""

import pytest

from arena.specs.building import build


@pytest.mark.parametrize("value", ["5", "None"])
def test_an_attribute_called_typed_parameters_is_no_list_of_parameters(value, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        f"class Mine:\n    typed_parameters = {value}\n"
        "    def __init__(self, rate): self.rate = rate\n"
        "    def predict(self, x): return 0.0\n    def update(self, x, y): pass\n"
    )
    assert build("learner", f"{path}:Mine(rate=0.5)").rate == 0.5
