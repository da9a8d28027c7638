"""Functions from addresses of classes outside the arena, such as ./file.py:Class, to the classes, and back."""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib
import importlib.util
import itertools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.errors import ArenaError, describe_error, nearest
from arena.guards.paths import absolute, check_ordinary
from arena.guards.user_code import guarded
from arena.specs.extras import EXAMPLES, EXTRAS, missing

named: dict[type, str] = {}  # the address that the user gave for each class loaded from a file
_instead: dict[str, Path] = {}  # for paths in addresses: the copy that is loaded in place of the file


def names_code(text: str) -> bool:
    """Return whether a spec contains the address of code outside the arena.

    >>> names_code("fgd(rate=0.1)"), names_code("./mine.py:Mine"), names_code("pkawv(embedding=mine:Features())")
    (False, True, True)
    """
    return ":" in text


def is_built_in(code: type | Callable[..., Any]) -> bool:
    """Return whether a class or function is defined in the arena itself."""
    return code.__module__.startswith("arena.")


def from_file(name: str) -> Any:
    """Run the file in an address such as ./file.py:Class, and return the class or factory that the address names.

    Raise an `ArenaError` if the file cannot be loaded, or if it has no class or function of this name.
    """
    path, _, attribute = name.rpartition(":")
    module = _load_file(absolute(_instead.get(path, path)), path)
    found = _attribute(module, attribute, path)
    if isinstance(found, type) and found.__module__.partition(".")[0] not in EXTRAS:  # these have a public address
        named[found] = name
    return found


def load_instead(given: str, copy: Path) -> None:
    """From now on, load the file `copy` for every address whose path is `given`."""
    _instead[given] = copy


def loaded_instead() -> dict[str, Path]:
    """Return the pairs given to `load_instead`: for the path in an address, the copy that is loaded in its place."""
    return dict(_instead)


def _load_file(path: Path, given: str) -> ModuleType:
    check_ordinary(path)
    if not path.is_file():
        raise ArenaError(f"there is no file {given}")
    try:
        source = path.read_bytes()
    except OSError as error:
        raise ArenaError(f"cannot read {given}: {error.strerror}. Check its permissions.") from None
    unique = "arena_file_" + hashlib.sha256(str(path).encode() + source).hexdigest()[:16]
    if unique in sys.modules:
        return sys.modules[unique]
    _check_neighbours(path, source, given)
    spec = importlib.util.spec_from_file_location(unique, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module
    loaded = False
    sys.path.insert(0, str(path.parent))  # so that it can import its neighbours, as a script can
    try:
        with guarded(lambda error: ArenaError(f"{given} cannot be loaded: {describe_error(error)}"), passing=()):
            # Not by the loader: it takes cached bytecode for a file of the same size that was saved in the same second.
            exec(compile(source, path, "exec"), vars(module))
        loaded = True
    finally:
        with contextlib.suppress(ValueError):  # the file may have removed its folder from the path itself
            sys.path.remove(str(path.parent))
        # Not in an `except` clause, because Ctrl-C must not leave half a module behind either.
        if not loaded:
            del sys.modules[unique]
    return module


def _check_neighbours(path: Path, source: bytes, given: str) -> None:
    """Raise an `ArenaError` if a file imports a module of its folder, but another module of this name is loaded.

    `path` is the file, `source` its content, and `given` its path as the message shows it.
    """
    for name in imported_names(source):
        own = [each for each in (path.parent / f"{name}.py", path.parent / name / "__init__.py") if each.is_file()]
        loaded = getattr(sys.modules.get(name), "__file__", None)
        if own and loaded and Path(loaded).resolve() != own[0]:
            raise ArenaError(
                f"{given} imports {name!r}, which stands beside it, but another {name!r} is loaded already, "
                f"from {loaded}. Rename one of them, or use them in two runs."
            )


def imported_names(source: bytes) -> set[str]:
    """Return the top-level names of the modules that a file imports; `source` is the file's content.

    Relative imports are left out. The result is empty if the content is not valid Python.
    """
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError):  # mistakes in the file are reported when it is loaded
        return set()
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level]
    return {name.partition(".")[0] for name in names}


def from_module(name: str) -> Any:
    """Import the module in an address such as package.module:Class, and return the class or factory of the address.

    Raise an `ArenaError` if the module cannot be imported, or if it has no class or function of this name.
    """
    module_name, _, attribute = name.partition(":")
    complaint = f"the module {module_name!r} cannot be loaded: "
    absent: ArenaError | None = None
    with guarded(lambda error: ArenaError(complaint + describe_error(error)), passing=()):
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            absent = missing(error.name or module_name, name)
    if absent is not None:
        raise absent
    return _attribute(module, attribute, module_name)


def _attribute(module: ModuleType, dotted: str, given: str) -> Any:
    with guarded(lambda error: ArenaError(f"{given}: looking for {dotted!r} raised {describe_error(error)}")):
        return _looked_up(module, dotted, given)


def _looked_up(module: ModuleType, dotted: str, given: str) -> Any:
    found: Any = module
    if not dotted:
        example = EXAMPLES.get(given, f"{given}:MyLearner")
        raise ArenaError(f"{given}: needs the name of a class or a function after the colon, such as {example!r}")
    for part in dotted.split("."):
        if not hasattr(found, part) and isinstance(found, ModuleType):
            with contextlib.suppress(ImportError):
                importlib.import_module(f"{found.__name__}.{part}")
        if not hasattr(found, part):
            raise ArenaError(f"{given} has no {dotted!r}. {nearest(part, _offered(found))}")
        found = getattr(found, part)
    if not callable(found):
        raise ArenaError(f"{given}:{dotted} is not a class or a function that makes an object")
    return found


def _offered(where: Any) -> list[str]:
    """Return the names of the classes and functions that the module or class `where` defines itself.

    If it defines none, return the names of all its classes, including imported ones.
    """
    public = {key: value for key, value in vars(where).items() if not key.startswith("_")}
    home = where.__name__ if isinstance(where, ModuleType) else where.__module__
    own = [key for key, each in public.items() if callable(each) and getattr(each, "__module__", "") == home]
    return own or [key for key, value in public.items() if isinstance(value, type)]


def address_of(cls: Any) -> str:
    """Return the address by which specs name a class or function; raise an `ArenaError` if it has none."""
    if cls in named:
        return named[cls]
    module = sys.modules.get(getattr(cls, "__module__", ""))
    qualname = getattr(cls, "__qualname__", "")
    path = getattr(module, "__file__", None)
    typed_in = module is not None and module.__name__ == "__main__" and path is None  # at a prompt, in a notebook
    if module is None or not qualname or "<" in qualname or typed_in:
        raise ArenaError(f"{cls!r} cannot be named in a spec: it stands neither in a file nor in a module")
    dotted = "." in module.__name__ and _is_found_by_import(module.__name__, path, Path.cwd(), *sys.path)
    if (dotted or path is None or "site-packages" in path) and module.__name__ != "__main__":
        return _public_address(cls, module.__name__, qualname)
    absolute_path = absolute(str(path))
    with contextlib.suppress(OSError, ValueError):  # the working folder is gone, or does not hold the file
        return f"./{absolute_path.relative_to(Path.cwd()).as_posix()}:{qualname}"
    return f"{absolute_path.as_posix()}:{qualname}"


def lasting(name: str) -> str:
    """Return the address `name`, with a module `models` of the current folder replaced by ./models.py.

    `python -m arena` finds such modules by their names, but the command `arena` does not.
    """
    module, _, attribute = name.partition(":")
    path = getattr(sys.modules.get(module), "__file__", None) or ""
    with contextlib.suppress(OSError):  # the working folder is gone
        if attribute and Path(path) == Path.cwd() / f"{module}.py":
            return f"./{module}.py:{attribute}"
    return name


def address_of_function(function: Any) -> str:
    """Return the address of a function; raise an `ArenaError` if the function has none.

    These functions have no address: lambdas, functions inside functions, methods of objects, and functions whose module
    has another object of the same name.
    """
    address = address_of(function)
    found: Any = sys.modules[function.__module__]
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    if found != function:
        raise ArenaError(
            f"{function.__qualname__} cannot be named in a spec: its module has another object of this name"
        )
    return address


@functools.lru_cache(maxsize=256)
def _is_found_by_import(name: str, path: str | None, *_searched: object) -> bool:
    """Return whether `import name` finds the file `path` in another process with the same `sys.path`.

    The answer is False if, for instance, a test runner has loaded the file under a name of its own. `_searched` has the
    folders that are searched. It is not read, but results are cached for each value of it.
    """
    places, spec = None, None
    for part in itertools.accumulate(name.split("."), "{}.{}".format):
        specs = (finder.find_spec(part, places) for finder in sys.meta_path)
        spec = next((spec for spec in specs if spec is not None), None)
        if spec is None:
            return False
        places = spec.submodule_search_locations
    return spec is not None and spec.origin == path


def _public_address(cls: Any, module_name: str, qualname: str) -> str:
    """Return the address of a class in an installed module, such as package.module:Class.

    For a class of a library in `EXTRAS`, the module is the outermost package that exports the class. The colon then
    stands behind the library's name: sklearn:linear_model.SGDRegressor.
    """
    parts = module_name.split(".")
    if parts[0] not in EXTRAS:
        return f"{module_name}:{qualname}"
    packages = (".".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    shown = next((name for name in packages if getattr(sys.modules.get(name), qualname, None) is cls), module_name)
    return ".".join([*shown.split("."), qualname]).replace(".", ":", 1)
