"""Printing a spec and parsing it are inverse, and so are building an object and describing it."""

import dataclasses
import re
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arena import ArenaError
from arena.game.kernels import Gaussian, Kernel
from arena.specs.addresses import address_of
from arena.specs.building import build, build_as
from arena.specs.grammar import Spec, format_value, parse_spec
from arena.specs.parameters import Configured, annotated_fields
from arena.specs.registry import KINDS, entries
from arena.specs.spelling import spec_of, spec_text
from arena_tests import FULL

quick = settings(max_examples=300 if FULL else 100)

texts = st.text(max_size=12) | st.text(string.ascii_letters + string.digits + "./:-_ '\"\\()[],=\n\t+e", max_size=12)
numbers = st.integers() | st.floats(allow_nan=False)
keys = st.from_regex(r"[a-zA-Z_][a-zA-Z_0-9]{0,8}", fullmatch=True) | st.sampled_from(["λ", "größe", "η_1"])


def specs(values):
    parameters = st.lists(st.tuples(keys, values), max_size=3, unique_by=lambda pair: pair[0]).map(tuple)
    return st.builds(Spec, texts.filter(bool), parameters)


values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | specs(inner),
    max_leaves=8,
)


@quick
@given(specs(values))
@example(Spec("./my (old) file.py:K", (("at", (0.5, -1e300)),)))
@example(Spec("krr", (("kernel", Spec("./my file.py:K", ())),)))
@example(
    Spec(
        "a",
        (("b", Spec("5")), ("c", "5"), ("d", 5), ("e", 5.0), ("f", True), ("g", "true"), ("h", "")),
    )
)
@example(Spec("a", (("b", "\\n"), ("c", "\n"), ("d", "\\\\'"), ("e", "inf"), ("f", float("-inf")), ("g", "nan"))))
@example(Spec("'quoted'"))
@example(Spec(" padded "))
def test_parsing_is_the_inverse_of_printing(spec):
    parsed = parse_spec(str(spec))
    assert parse_spec(spec) is spec
    assert parsed == spec
    assert repr(parsed) == repr(spec)  # 1, 1.0 and true are equal to Python, but not to a reader
    assert str(parsed) == str(spec)


@quick
@given(values)
def test_a_value_is_read_back_as_itself(value):
    parsed = parse_spec(f"a(b={format_value(value)})")
    assert repr(parsed) == repr(Spec("a", (("b", value),)))


@quick
@given(st.text(max_size=30) | st.text("ab(=[]),'\" 1.e", max_size=20))
def test_any_text_is_a_spec_or_a_mistake_with_an_explanation(text):
    try:
        spec = parse_spec(text)
    except ArenaError as error:
        message = str(error)
        assert message.startswith("cannot read the spec")
    else:
        assert repr(parse_spec(str(spec))) == repr(spec)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kernel-awv", Spec("kernel-awv")),
        ("  krr ( )  ", Spec("krr")),
        ("f(a=1,)", Spec("f", (("a", 1),))),
        ("f( a = -1.5e3 , b = [ 1 , [2], ] )", Spec("f", (("a", -1500.0), ("b", (1, (2,)))))),
        ("f(a=.5, b=5., c=+3)", Spec("f", (("a", 0.5), ("b", 5.0), ("c", 3)))),
        ("f(a=none, b=None, c=true, d=False)", Spec("f", (("a", None), ("b", None), ("c", True), ("d", False)))),
        ("f(a='it''s')", None),
        ("f(a='it\\'s', b=\"two words\")", Spec("f", (("a", "it's"), ("b", "two words")))),
        ("f(k=gaussian(bandwidth=2))", Spec("f", (("k", Spec("gaussian", (("bandwidth", 2),))),))),
        ("f(k=gaussian())", Spec("f", (("k", Spec("gaussian")),))),
        ("f(k=gaussian)", Spec("f", (("k", "gaussian"),))),
        ("./a b/c.py:D(x=1)", Spec("./a b/c.py:D", (("x", 1),))),
        ("'./a (b)/c.py:D'(x=1)", Spec("./a (b)/c.py:D", (("x", 1),))),
        ("package.module:Class", Spec("package.module:Class")),
    ],
)
def test_specs_that_are_allowed(text, expected):
    if expected is None:
        with pytest.raises(ArenaError):
            parse_spec(text)
    else:
        assert repr(parse_spec(text)) == repr(expected)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("   ", "it is empty"),
        ("(a=1)", "a name must come first"),
        ("f(a=1", "a ')' is missing, at 'f(a=1<here>'"),
        ("f(a=1) b", "nothing may follow the closing parenthesis, at 'f(a=1) <here>b'"),
        ("f(1)", "a parameter's name is missing, at 'f(<here>1)'"),
        ("f(rate)", "write name=value, at 'f(rate<here>)'"),
        ("f(a=1, rate)", "write parameters by name, such as (rate=...), at 'f(a=1, rate<here>)'"),
        ("f(a=1, a=2)", "a is given twice, at 'f(a=1, a<here>=2)'"),
        ("f(a=)", "a value is missing, at 'f(a=<here>)'"),
        ("f(a=1 b=2)", "a ',' is missing, at 'f(a=1 <here>b=2)'"),
        ("f(a=[1, 2)", "a ',' is missing, at 'f(a=[1, 2<here>)'"),
        ("f(a='open)", "a text that ends with ' is missing, at 'f(a=<here>'open)'"),
        ("f(a=" + "1" * 5000 + ")", "too many digits"),
        ("f(a=" + "[" * 5000, "nested too deeply"),
        ("f(a=" * 5000, "nested too deeply"),
    ],
)
def test_mistakes_are_pointed_at(text, why):
    with pytest.raises(ArenaError) as caught:
        parse_spec(text)
    assert why in str(caught.value).replace('"', "'").replace("\\'", "'")


# ---- objects

REGISTERED = [(kind, name) for kind in KINDS for name in entries(kind)]


def classes():
    """Yield the registered classes that need no parameters."""
    for kind, name in REGISTERED:
        try:
            yield kind, name, type(build(kind, name))
        except ArenaError as error:
            assert "needs" in str(error)  # noqa: PT017


PLAIN = list(classes())
FIELDS = [(kind, name, field, annotation) for kind, name, cls in PLAIN for field, annotation in annotated_fields(cls)]


@pytest.mark.parametrize(("kind", "name", "cls"), PLAIN)
def test_every_registered_name_builds_an_object_whose_spec_is_the_name(kind, name, cls):
    thing = build(kind, name)
    assert str(spec_of(thing)) == spec_text(thing) == name
    assert type(build(kind, str(spec_of(thing)))) is cls


def other_values(default, annotation):
    """Return values, other than the default, that a parameter with this annotation may accept."""
    candidates = [0.37, 2.5, 3, 1, 0.5, True, False, [0.25, 0.5], "gaussian(bandwidth=3)", "laplacian", "hinge"]
    candidates += [
        "taylor(degree=5)",
        "nystrom",
        "krr",
        "repeated",
        None,
        ["krr", "zero"],
        ["repeated", "leverage"],
        "last-label",
    ]
    candidates += [word for word in re.findall(r"[\w-]+", str(annotation)) if word]
    return [value for value in candidates if value != default]


FIXED = {  # parameters that a class inherits and leaves a single value
    ("absolute", "epsilon"): "it is the epsilon-insensitive loss whose tube has no width",
    ("adagrad-norms", "shrinkage"): "the adapted rates are proved for learners that do not shrink",
    ("pa-1-mistakes", "task"): "regression makes no mistakes that could be counted",
}


@pytest.mark.parametrize(("kind", "name", "field", "annotation"), FIELDS, ids=lambda each: getattr(each, "name", None))
def test_every_parameter_of_every_registered_class_survives_its_spec(kind, name, field, annotation):
    plain = build(kind, name)
    tried = 0
    for value in other_values(getattr(plain, field.name), annotation):
        try:
            thing = type(plain)(**{field.name: value})
        except ArenaError:
            continue
        if getattr(thing, field.name) == getattr(plain, field.name):
            continue
        tried += 1
        text = str(spec_of(thing))
        assert text.startswith(f"{name}({field.name}=")
        again = build(kind, text)
        assert {f.name: getattr(again, f.name) for f, _ in annotated_fields(type(thing))} == {
            f.name: getattr(thing, f.name) for f, _ in annotated_fields(type(thing))
        }
        assert str(spec_of(again)) == text
    assert bool(tried) == ((name, field.name) not in FIXED)


@quick
@given(st.floats(min_value=1e-150, max_value=1e150))
def test_a_number_keeps_every_digit(bandwidth):
    kernel = Gaussian(bandwidth=bandwidth)
    assert build("kernel", str(spec_of(kernel))) == kernel


@dataclasses.dataclass
class Wraps(Configured):
    """A configured object with other objects as fields, one by one and in a tuple."""

    kernel: Kernel = Gaussian()
    among: tuple[Kernel, ...] = ()
    place: object = None


def test_objects_inside_objects():
    thing = Wraps(kernel=Gaussian(2.0), among=(Gaussian(), Gaussian(3.0)))
    text = str(spec_of(thing))
    assert text.endswith(":Wraps(kernel=gaussian(bandwidth=2.0), among=[gaussian(), gaussian(bandwidth=3.0)])")
    parameters = dict(parse_spec(text).parameters)
    assert (
        Wraps(**{key: list(value) if isinstance(value, tuple) else value for key, value in parameters.items()}) == thing
    )
    with pytest.raises(ArenaError, match="cannot be written in a spec"):
        spec_of(Wraps(place=object()))
    assert spec_text(Wraps(place=object())) == f"<{address_of(Wraps)}>"


def test_building_from_classes_and_objects():
    assert build("kernel", Gaussian) == Gaussian()
    kernel = Gaussian(4.0)
    assert build("kernel", kernel) is kernel
    assert build_as(Kernel, "gaussian(bandwidth=4)") == kernel
    with pytest.raises(ArenaError, match="pass an object"):
        build_as(Wraps, "gaussian")


@pytest.mark.parametrize(
    ("kind", "given_", "message"),
    [
        ("kernel", "gausian", "there is no kernel named 'gausian'. Did you mean 'gaussian'"),
        ("kernel", "gaussian(bandwith=1)", "gaussian has no parameter 'bandwith'. Did you mean 'bandwidth'?"),
        ("learner", "gaussian", "there is no learner named 'gaussian'"),
        ("learner", Gaussian(), "is not a learner"),
        ("kernel", object, "is not a kernel: a Kernel is needed, but it makes an object"),
        ("adversary", "alternating(at=[0.5, x])", "at must be a finite number, but it is 'x'"),
        ("learner", "zero(rate=1)", "zero has no parameter 'rate'. There are none."),
        ("theorem", "awv-leverige", "Did you mean 'awv-leverage'"),
        ("theorem", "xyz", "There are: adagrad, adagrad-identity, adagrad-norms, at-most, averaged-"),
    ],
)
def test_errors_name_the_nearest_match(kind, given_, message):
    with pytest.raises(ArenaError) as caught:
        build(kind, given_)
    assert message in str(caught.value)


class Picky:
    """A learner that needs a parameter, and raises an error for one value."""

    def __init__(self, needed, *, other=1):
        self.needed, self.other = needed, other
        if needed == "bad":
            raise LookupError("I do not like it")

    def predict(self, x):
        return 0.0

    def update(self, x, y):
        pass


def test_a_parameter_that_is_needed_and_a_constructor_that_fails():
    from arena.specs.registry import name_of

    name = name_of(Picky)
    with pytest.raises(ArenaError, match=r"needs a value for 'needed': .*Picky\(needed=\.\.\.\)"):
        build("learner", name)
    with pytest.raises(ArenaError, match="cannot be made: LookupError: I do not like it"):
        build("learner", f"{name}(needed=bad)")
    built = build("learner", f"{name}(needed=3)")
    assert str(spec_of(built)) == f"{name}(needed=3)"
    assert str(spec_of(build("learner", f"{name}(needed=3, other=2)"))) == f"{name}(needed=3, other=2)"
    del built.needed
    with pytest.raises(ArenaError, match="does not keep its parameter 'needed'"):
        spec_of(built)
