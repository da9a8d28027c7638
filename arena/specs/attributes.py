"""Attributes with a default that subclasses set as class attributes or compute as properties."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["overridable"]

if TYPE_CHECKING:
    # for mypy, class attributes, properties and assignments to `self` may override a cached property of a base class
    from functools import cached_property as overridable
else:

    class overridable:  # noqa: N801, a decorator
        """Decorator: the method, which must not read `self`, returns the default value of an attribute.

        The default is read from the class as from its objects. A subclass replaces it by a class attribute or by a
        property, an object by an assignment.

        >>> class Animal:
        ...     @overridable
        ...     def legs(self) -> int:
        ...         return 4
        >>> class Bird(Animal):
        ...     legs = 2
        >>> Animal.legs, Animal().legs, Bird.legs
        (4, 4, 2)
        """

        def __init__(self, default: Any) -> None:
            self.default, self.__doc__ = default, default.__doc__

        def __get__(self, instance: object, owner: type | None = None) -> Any:
            return self.default(instance)
