"""Registered names come from built-in folders and from entry points of installed packages."""

import importlib
import sys
from pathlib import Path

import pytest

import arena
from arena import ArenaError, Learner, play
from arena.specs import registry
from arena.specs.building import build
from arena.specs.spelling import spec_of
from arena_tests.sources import LEARNER


def forget_names():
    registry.entries.cache_clear()
    registry._built_in.cache_clear()
    registry.entry_points.cache_clear()


@pytest.fixture(autouse=True)
def _fresh():
    forget_names()
    yield
    forget_names()
    sys.modules.pop("arena.learners.mine", None)


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Return a function that makes an installed distribution with entry points, as pip would."""

    def make(distribution, group, points, modules):
        site = tmp_path / f"site-{distribution}"
        info = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        lines = "\n".join(f"{name} = {value}" for name, value in points.items())
        info.joinpath("entry_points.txt").write_text(f"[{group}]\n{lines}\n")
        for name, source in modules.items():
            site.joinpath(f"{name}.py").write_text(source)
            monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(site)
        forget_names()
        return site

    return make


# ---- built in


def test_everything_with_a_name_in_the_folders_is_found():
    for kind, folder in (("learner", "learners"), ("adversary", "adversaries")):
        package = importlib.import_module(f"arena.{folder}")
        files = {path.stem for path in Path(package.__path__[0]).glob("*.py")} - {"__init__"}
        origins = {entry.origin.split(".")[2] for claims in registry.entries(kind).values() for entry in claims}
        assert {origin for origin in origins if origin in files} == origins
        assert origins
    assert {"gaussian", "linear"} <= set(registry.entries("kernel"))
    assert {"squared", "hinge"} <= set(registry.entries("loss"))
    assert {"awv-leverage", "ogd"} <= set(registry.entries("theorem"))


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_file_in_the_folder_is_found_with_either_quotation_mark(tmp_path, monkeypatch, quote):
    folder = importlib.import_module("arena.learners")
    monkeypatch.setattr(folder, "__path__", [*folder.__path__, str(tmp_path)])
    monkeypatch.setitem(vars(folder), "mine", None)  # removed after the test, as is the module
    source = "from arena import Learner\n" + LEARNER.format(name="Mine(Learner)", spec="mine").replace('"', quote)
    assert f"name = {quote}mine{quote}" in source
    tmp_path.joinpath("mine.py").write_text(source)
    assert play("mine", "alternating", rounds=2).learner == "mine"
    assert folder.Mine.name == "mine"


def test_no_two_built_in_classes_have_one_name():
    for kind in registry.KINDS:
        assert all(len(claims) == 1 for claims in registry.entries(kind).values())


def test_base_classes_and_private_helpers_have_no_name():
    assert "" not in registry.entries("theorem")
    assert all("_" not in name and name == name.lower() for kind in registry.KINDS for name in registry.entries(kind))


def test_built_in_classes_can_be_imported_by_their_class_names():
    from arena.adversaries import Alternating
    from arena.learners import KernelAWV

    assert build("learner", "kernel-awv").__class__ is KernelAWV
    assert registry.name_of(Alternating) == "alternating"
    with pytest.raises(ImportError):
        exec("from arena.learners import NoSuchThing")
    with pytest.raises(AttributeError):
        _ = arena.learners._private


# ---- installed packages


def test_an_entry_point_is_found_built_and_named(install):
    install(
        "nice-package", "arena.learners", {"nice": "nice_mod:Nice"}, {"nice_mod": LEARNER.format(name="Nice", spec="")}
    )
    built = build("learner", "nice(rate=2)")
    assert built.rate == 2
    assert str(spec_of(built)) == "nice_mod:Nice(rate=2)" or str(spec_of(built)).endswith("nice_mod.py:Nice(rate=2)")
    with pytest.raises(ArenaError, match="Did you mean 'nice'"):
        build("learner", "nicer")


def test_an_entry_point_whose_class_carries_its_name_is_named_by_it(install):
    source = "from arena import Learner\n" + LEARNER.format(name="Nice(Learner)", spec="nice")
    install("nice-package", "arena.learners", {"nice": "nice_too:Nice"}, {"nice_too": source})
    assert str(spec_of(build("learner", "nice(rate=2)"))) == "nice(rate=2)"
    assert play("nice", "alternating", rounds=2).learner == "nice"


def test_the_groups_of_all_kinds(install):
    source = "from arena.game.kernels import Linear\nclass Mine(Linear):\n    name = 'mine'\n"
    install("kernels", "arena.kernels", {"mine": "mine_kernels:Mine"}, {"mine_kernels": source})
    assert build("kernel", "mine(offset=1)").offset == 1.0
    assert play("krr", "alternating", rounds=2, kernel="mine").game.kernel.name == "mine"
    assert [registry.KINDS[kind].plural for kind in registry.KINDS] == [
        "learners",
        "adversaries",
        "kernels",
        "losses",
        "embeddings",
        "theorems",
        "comparators",
    ]


def test_a_built_in_class_is_imported_without_reading_installed_packages(monkeypatch):
    monkeypatch.setattr(registry, "entry_points", None)
    assert registry.exported("learner", "KernelAWV").name == "kernel-awv"


def test_a_clash_names_both_and_leaves_other_names_usable(install):
    source = LEARNER.format(name="A", spec="")
    install("first-package", "arena.learners", {"same": "first_mod:A", "krr": "first_mod:A"}, {"first_mod": source})
    install("second-package", "arena.learners", {"same": "second_mod:A"}, {"second_mod": source})
    with pytest.raises(ArenaError) as caught:
        build("learner", "same")
    for part in ("two learners are named 'same'", "first_mod:A (first-package)", "second_mod:A (second-package)"):
        assert part in str(caught.value)
    assert "first_mod" not in sys.modules  # a clash is seen without an import
    with pytest.raises(ArenaError, match=r"arena\.learners\.ridge\.KRR"):
        build("learner", "krr")
    assert build("learner", "zero")
    assert build("learner", "first_mod:A")  # the way out that the message names


def test_a_broken_entry_point_matters_only_when_it_is_used(install):
    install(
        "broken-package",
        "arena.learners",
        {"broken": "broken_mod:A", "missing": "no_such_module:A", "absent": "fine_mod:Absent"},
        {"broken_mod": "raise RuntimeError('half installed')", "fine_mod": ""},
    )
    assert "broken" in registry.entries("learner")
    assert play("zero", "alternating", rounds=2).learner == "zero"
    for name, reason in (
        ("broken", "RuntimeError: half installed"),
        ("missing", "no_such_module"),
        ("absent", "Absent"),
    ):
        with pytest.raises(ArenaError, match="broken-package") as caught:
            build("learner", name)
        assert reason in str(caught.value)


class Namesake(Learner):
    name = "broken"

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        pass


def test_a_broken_entry_point_does_not_harm_a_class_of_its_name(install):
    install("broken-package", "arena.learners", {"broken": "broken_two:A"}, {"broken_two": "raise RuntimeError"})
    run = play(Namesake(), "alternating", rounds=2)
    assert run.learner.endswith("Namesake")
