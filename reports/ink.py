"""SVG that takes its colours and letters from the page around it.

Matplotlib draws with placeholder colours, one for each ink. What it writes is taken apart as XML and put together
again: placeholders become CSS variables, so that one picture reads well in light and in dark; names are made unique on
the page; whatever could differ from one run to the next is left out; a title and a description are put in for those who
do not see it.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree as ET

import matplotlib
from markupsafe import Markup
from matplotlib.figure import Figure

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_ROLES = ("paper", "ink", "muted", "hairline", "learner", "hindsight", "label", "bad")
_SCALES = (
    "bound-1",
    "bound-2",
    "bound-3",
    "bound-4",
    *(f"sign-{n}" for n in range(5)),
    *(f"time-{n}" for n in range(6)),
)
_PLACEHOLDERS = {name: f"#0a0b{number:02x}" for number, name in enumerate((*_ROLES, *_SCALES), start=1)}
_NAMES = {colour: name for name, colour in _PLACEHOLDERS.items()}
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.size": 12.0,
    "axes.titlesize": 12.0,
    "axes.labelsize": 12.0,
    "xtick.labelsize": 12.0,
    "ytick.labelsize": 12.0,
    "text.parse_math": False,
    "path.simplify": False,
    "figure.dpi": 72.0,
    "savefig.dpi": 72.0,
}


def ink(name: str) -> str:
    """The colour that stands for an ink while Matplotlib draws."""
    return _PLACEHOLDERS[name]


@contextlib.contextmanager
def own_style(salt: str) -> Iterator[None]:
    """Matplotlib as it comes, whatever the user's settings are, with the page's style on top."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_STYLE, "svg.hashsalt": salt})
        yield


def drawing(
    draw: Callable[[Figure], None], label: str, width: int, height: int, *, title: str, description: str, style: str
) -> Markup:
    """What `draw` draws on a figure of this size, as markup that can stand in a page under this label and style."""
    with own_style(label):
        figure = Figure(figsize=(width / 72, height / 72))
        draw(figure)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    root = ET.fromstring(file.getvalue())
    _strip(root)
    _name_apart(root, label)
    for element in root.iter():
        _restyle(element)
    for element in list(root.iter(f"{{{_SVG}}}g")):
        _share_style(element)
    _tell(root, label, title, description)
    root.attrib = {"class": style, **root.attrib}
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return Markup(ET.tostring(root, encoding="unicode"))  # every text in it was escaped by ElementTree


def _strip(root: ET.Element) -> None:
    """Leave out Matplotlib's style sheet, which would rule the whole page, its metadata and its fixed size."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)


def _name_apart(root: ET.Element, label: str) -> None:
    """Keep the ids that something refers to, with the picture's name before them."""
    uses = {element.get(_XLINK, "")[1:] for element in root.iter()}
    clips = {element.get("clip-path", "")[5:-1] for element in root.iter()}
    for element in root.iter():
        own = element.attrib.pop("id", None)
        if own in uses | clips:
            element.set("id", f"{label}-{own}")
        if _XLINK in element.attrib:
            element.set(_XLINK, f"#{label}-{element.attrib[_XLINK][1:]}")
        if "clip-path" in element.attrib:
            element.set("clip-path", f"url(#{label}-{element.attrib['clip-path'][5:]}")


def _restyle(element: ET.Element) -> None:
    """Inks for placeholders, the page's letters, and no digits that nobody can see."""
    style = element.get("style")
    if style is not None:
        style = re.sub(r"#[0-9a-f]{6}", lambda match: _variable(match[0]), style)
        style = re.sub(r"font: [^;]*?([\d.]+px)[^;]*", r"font-size: \1", style)  # as Matplotlib wrote it before 3.11
        style = re.sub(r"font-family: [^;]*(; ?)?", "", style)
        element.set("style", style.strip().rstrip(";"))
    for attribute in ("d", "x", "y", "transform"):
        if attribute in element.attrib:
            element.set(attribute, _fewer_digits(element.attrib[attribute]))
    element.tail = None
    if element.tag != f"{{{_SVG}}}text":
        element.text = None


def _share_style(group: ET.Element) -> None:
    """Say once for many marks what they look like."""
    styles = {child.get("style") for child in group}
    if len(group) > 1 and len(styles) == 1 and None not in styles and all(child.tag.endswith("use") for child in group):
        group.set("style", group[0].attrib["style"])
        for child in group:
            del child.attrib["style"]


def _variable(colour: str) -> str:
    return f"var(--{_NAMES[colour]})" if colour in _NAMES else colour


def _fewer_digits(text: str) -> str:
    rounded = re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), text)
    return re.sub(r"\s*\n\s*", "", re.sub(r"rotate\(-0 [^)]*\)", "", rounded))


def _tell(root: ET.Element, label: str, title: str, description: str) -> None:
    """A name and a description for those who do not see the picture."""
    root.set("role", "img")
    root.set("aria-labelledby", f"{label}-title")
    root.set("aria-describedby", f"{label}-description")
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        element = ET.Element(f"{{{_SVG}}}{tag}", id=f"{label}-{'title' if tag == 'title' else 'description'}")
        element.text = text
        root.insert(place, element)
