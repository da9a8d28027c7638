"""Names: from the built-in folders, from installed packages' entry points, from files and modules that the user names.

Nothing registers itself: whatever class with a `name` stands in the folder of its kind is found there. No code runs
from a folder that the user did not name.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import pkgutil
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.errors import ArenaError, nearest
from arena.extras import EXTRAS, missing

KINDS = {  # kind: (its base class, where the built-in ones live)
    "learner": ("arena.learner:Learner", "arena.learners"),
    "adversary": ("arena.adversary:Adversary", "arena.adversaries"),
    "kernel": ("arena.kernels:Kernel", "arena.kernels"),
    "loss": ("arena.losses:Loss", "arena.losses"),
    "embedding": ("arena.features.embedding:Embedding", "arena.features"),
    "theorem": ("arena.theorem:Theorem", "arena.theorems"),
}
PLURALS = {"adversary": "adversaries", "loss": "losses"}
_named: dict[type, str] = {}  # classes found by a file's path or a module's name, and that name


@dataclass(frozen=True)
class Entry:
    """A registered name: where it comes from and how to get at its class."""

    name: str
    origin: str
    load: Callable[[], Any]


def plural(kind: str) -> str:
    """The kind's plural, which also names its group of entry points: `arena.learners`, `arena.adversaries`."""
    return PLURALS.get(kind, kind + "s")


def base_class(kind: str) -> type:
    """The class that everything of this kind derives from."""
    module, _, name = KINDS[kind][0].partition(":")
    found: type = getattr(importlib.import_module(module), name)
    return found


@functools.cache
def entries(kind: str) -> dict[str, tuple[Entry, ...]]:
    """All registered names of a kind; a name that several claim has several entries."""
    found: dict[str, tuple[Entry, ...]] = {}
    for entry in (*_built_in(kind), *_installed(kind)):
        found[entry.name] = (*found.get(entry.name, ()), entry)
    return dict(sorted(found.items()))


def find(kind: str, name: str) -> Any:
    """The class (or factory) that this name means for this kind."""
    if ".py:" in name:
        return _from_file(name)
    if ":" in name:
        return _from_module(name)
    claims = entries(kind).get(name, ())
    if not claims:
        raise ArenaError(f"there is no {kind} named {name!r}. {_meant_otherwise(name) or nearest(name, entries(kind))}")
    if len(claims) > 1:
        origins = " and ".join(claim.origin for claim in claims)
        raise ArenaError(f"two {plural(kind)} are named {name!r}: {origins}. Uninstall one, or name it module:Class.")
    try:
        return claims[0].load()
    except Exception as error:
        raise ArenaError(
            f"the {kind} {name!r} from {claims[0].origin} cannot be loaded: {describe_error(error)}"
        ) from error


def exported(kind: str, class_name: str) -> Any:
    """The built-in class of this name, for `from arena.learners import KernelAWV`; nobody has to keep a list."""
    if not class_name.startswith("_"):
        for entry in _built_in(kind):
            if entry.origin.rpartition(".")[2] == class_name:
                return entry.load()
        with contextlib.suppress(ModuleNotFoundError):  # a file in the folder: arena.adversaries.replay
            return importlib.import_module(f"{KINDS[kind][1]}.{class_name}")
    raise AttributeError(f"module {KINDS[kind][1]!r} has no attribute {class_name!r}")


def name_of(cls: Any) -> str:
    """The name under which a class is found again; an `ArenaError` if there is none."""
    if cls in _named:
        return _named[cls]
    for kind in KINDS:
        if isinstance(cls, type) and issubclass(cls, base_class(kind)) and "name" in vars(cls):
            claims = entries(kind).get(cls.name, ())  # type: ignore[attr-defined]
            if len(claims) == 1 and _loads(claims[0], cls):
                return claims[0].name
    return _address(cls)


def _loads(entry: Entry, cls: Any) -> bool:
    try:
        return entry.load() is cls
    except Exception:  # somebody else's broken package: it is not where this class comes from
        return False


def describe_error(error: BaseException, *, ours: bool = False) -> str:
    """An exception in one line, with the place in the user's code (or in ours, for who works on it) that raised it."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if ours or not _ours(frame.filename)]
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def _ours(filename: str) -> bool:
    return filename.startswith("<frozen") or Path(filename).resolve().is_relative_to(Path(__file__).resolve().parent)


def _built_in(kind: str) -> list[Entry]:
    where, base = KINDS[kind][1], base_class(kind)
    found = []
    for module in _modules(importlib.import_module(where)):
        for cls in vars(module).values():
            own = isinstance(cls, type) and issubclass(cls, base) and cls.__module__ == module.__name__
            if own and vars(cls).get("name"):
                found.append(Entry(cls.name, f"{cls.__module__}.{cls.__qualname__}", functools.partial(_itself, cls)))
    return found


def _itself(cls: type) -> type:
    return cls


def _modules(root: ModuleType) -> list[ModuleType]:
    if not hasattr(root, "__path__"):
        return [root]
    names = [info.name for info in pkgutil.walk_packages(root.__path__, root.__name__ + ".")]
    return [_own_module(name) for name in sorted(names)]


def _own_module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise ArenaError(f"{name} cannot be loaded: {describe_error(error, ours=True)}") from error


def _installed(kind: str) -> list[Entry]:
    points = importlib.metadata.entry_points(group=f"arena.{plural(kind)}")
    return [Entry(point.name, f"{point.value} ({_package(point)})", point.load) for point in points]


def _package(point: importlib.metadata.EntryPoint) -> str:
    return point.dist.name if point.dist else "an unknown package"


def _meant_otherwise(name: str) -> str:
    """A hint for a name that means something, but not here; empty if there is none."""
    if name.endswith(".py") or "/" in name:
        return f"A class in a file is named like this: {name.removesuffix('.py')}.py:MyClass"
    kinds = [kind for kind in KINDS if name in entries(kind)]
    return f"It is {an(kinds[0])}. (The order is LEARNER ADVERSARY.)" if kinds else ""


def an(noun: str) -> str:
    """The noun with its article.

    >>> an("adversary"), an("learner")
    ('an adversary', 'a learner')
    """
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"


def _from_file(name: str) -> Any:
    path, _, attribute = name.rpartition(":")
    module = _load_file(Path(path).expanduser().resolve(), path)
    return _remember(_attribute(module, attribute, path), name)


def _load_file(path: Path, given: str) -> ModuleType:
    if not path.is_file():
        raise ArenaError(f"there is no file {given}")
    source = path.read_bytes()
    unique = "arena_file_" + hashlib.sha256(str(path).encode() + source).hexdigest()[:16]
    if unique in sys.modules:
        return sys.modules[unique]
    _check_neighbours(path, source, given)
    spec = importlib.util.spec_from_file_location(unique, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    loaded = False
    sys.path.insert(0, str(path.parent))  # as for a script: its neighbours can be imported
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a script that ends with exit() does not end the program
        raise ArenaError(f"{given} cannot be loaded: {describe_error(error)}") from error
    else:
        loaded = True
    finally:
        with contextlib.suppress(ValueError):  # the file may have removed it itself
            sys.path.remove(str(path.parent))
        if not loaded:  # whatever stopped it, Ctrl-C too: nobody shall find half a module
            del sys.modules[unique]
    return module


def _check_neighbours(path: Path, source: bytes, given: str) -> None:
    """Python knows one module of a name: the `helper` of another folder must not stand in for this folder's own."""
    for name in _imported(source):
        own = [each for each in (path.parent / f"{name}.py", path.parent / name / "__init__.py") if each.is_file()]
        loaded = getattr(sys.modules.get(name), "__file__", None)
        if own and loaded and Path(loaded).resolve() != own[0]:
            raise ArenaError(
                f"{given} imports {name!r}, which stands beside it, but another {name!r} is loaded already, "
                f"from {loaded}. Rename one of them, or use them in two runs."
            )


def _imported(source: bytes) -> set[str]:
    """The modules that a file imports by absolute names."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):  # told when the file is loaded
        return set()
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return {name.partition(".")[0] for name in names}


def _from_module(name: str) -> Any:
    module_name, _, attribute = name.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise missing(error.name or module_name, name) from error
    except Exception as error:
        raise ArenaError(f"the module {module_name!r} cannot be loaded: {describe_error(error)}") from error
    return _attribute(module, attribute, module_name)


def _attribute(module: ModuleType, dotted: str, given: str) -> Any:
    found: Any = module
    for part in dotted.split("."):
        if not hasattr(found, part) and isinstance(found, ModuleType):
            _import_below(found, part)
        if not hasattr(found, part):
            raise ArenaError(f"{given} has no {dotted!r}. {nearest(part, _classes(found))}")
        found = getattr(found, part)
    if not callable(found):
        raise ArenaError(f"{given}:{dotted} is not a class or a function that makes an object")
    return found


def _import_below(module: ModuleType, part: str) -> None:
    try:
        importlib.import_module(f"{module.__name__}.{part}")
    except ImportError:
        return


def _classes(where: Any) -> list[str]:
    return [key for key, value in vars(where).items() if isinstance(value, type) and not key.startswith("_")]


def _remember(found: Any, name: str) -> Any:
    if isinstance(found, type) and found.__module__.partition(".")[0] not in EXTRAS:  # these have one public address
        _named[found] = name
    return found


def _address(cls: Any) -> str:
    module = sys.modules.get(getattr(cls, "__module__", ""))
    qualname = getattr(cls, "__qualname__", "")
    path = getattr(module, "__file__", None)
    typed_in = module is not None and module.__name__ == "__main__" and path is None  # at a prompt, in a notebook
    if module is None or not qualname or "<" in qualname or typed_in:
        raise ArenaError(f"{cls!r} cannot be named in a spec: it stands neither in a file nor in a module")
    importable = "." in module.__name__ or path is None or "site-packages" in path
    if importable and module.__name__ != "__main__":
        return _public_address(cls, module.__name__, qualname)
    relative = Path(str(path)).resolve()
    if relative.is_relative_to(Path.cwd()):
        return f"./{relative.relative_to(Path.cwd()).as_posix()}:{qualname}"
    return f"{relative.as_posix()}:{qualname}"


def _public_address(cls: Any, module_name: str, qualname: str) -> str:
    """The class in the outermost package that shows it: sklearn:linear_model.SGDRegressor, not its private file."""
    parts = module_name.split(".")
    if parts[0] not in EXTRAS:
        return f"{module_name}:{qualname}"
    packages = (".".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    shown = next((name for name in packages if getattr(sys.modules.get(name), qualname, None) is cls), module_name)
    return ".".join([*shown.split("."), qualname]).replace(".", ":", 1)
