"""The styles of names are different, also without colour vision, and do not change matplotlib's settings."""

import itertools
import sys

import matplotlib
import numpy as np
import pytest

from arena.plotting.style import COLOURS, looks, styled

LINEAR_TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
DEFICIENCIES = {  # Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def lab(colour, deficiency):
    red_green_blue = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(red_green_blue <= 0.04045, red_green_blue / 12.92, ((red_green_blue + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(DEFICIENCIES[deficiency]) @ linear, 0, 1)
    x, y, z = np.cbrt(LINEAR_TO_XYZ @ seen / (0.9505, 1.0, 1.089))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_colours_differ_for_every_kind_of_colour_vision(deficiency):
    seen = [lab(each, deficiency) for each in COLOURS]
    assert min(np.linalg.norm(one - other) for one, other in itertools.combinations(seen, 2)) > 10
    white = lab("#ffffff", deficiency)
    assert min(white[0] - each[0] for each in seen) > 25  # darker than the paper


def test_sixty_three_names_differ_in_colour_or_marker_and_keep_their_look():
    names = [f"learner-{number}" for number in range(63)]
    found = looks(names)
    assert len({(each.colour, each.marker) for each in found.values()}) == 63
    assert looks(names[:5])[names[3]] == found[names[3]]
    assert looks(["a", "b", "a"]).keys() == {"a", "b"}


def test_the_style_leaves_the_settings_of_the_user_alone():
    before = {"font.size": 23.0, "axes.grid": False, "svg.hashsalt": "mine"}
    with matplotlib.rc_context(before):
        with styled():
            assert matplotlib.rcParams["pdf.fonttype"] == 42
            assert matplotlib.rcParams["font.size"] == 7.5
        assert {name: matplotlib.rcParams[name] for name in before} == before


def test_no_figure_is_registered_with_pyplot():
    from arena import play

    play("krr", "alternating", rounds=5).figure()
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()
