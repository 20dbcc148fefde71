"""Record the arguments that an object was constructed with, and print and compare it by them."""

import inspect
from collections.abc import Hashable, Mapping
from collections.abc import Set as AbstractSet
from inspect import Parameter, Signature
from types import MethodType
from typing import TYPE_CHECKING, Any, Self, cast
from weakref import WeakKeyDictionary

from planish.representation import format_call

__all__ = ["DEEPEST", "Configured", "depth_of", "format_config", "instances_in"]

_signatures: WeakKeyDictionary[type[Any], Signature] = WeakKeyDictionary()
"""Of the classes that have been printed or compared: reading one takes 20 microseconds."""

_Arguments = tuple[tuple[Any, ...], dict[str, Any]]
"""Positional and keyword arguments of a constructor, as they were passed."""


class _ConstructorSignature:
    """The signature of a class as `help` and `inspect` show it: that of its constructor."""

    def __get__(self, instance: object, owner: type[Any]) -> Signature:
        return _constructor_signature(owner)


class Configured:
    """An object whose identity is the arguments of its constructor.

    The arguments are recorded when it is constructed, in subclasses too, whatever their
    constructors do. `repr` shows the call as it was written. Two objects of one class are equal
    if their arguments are, where an argument that is not passed has its default. The hash follows
    from the arguments too; those that cannot be hashed, other than collections, are left out of
    it. An object must not change after it is constructed.
    """

    _arguments: _Arguments

    if not TYPE_CHECKING:  # a type checker reads `__init__`, which has the real parameters
        __signature__ = _ConstructorSignature()

        def __new__(cls, *args: Any, **kwargs: Any) -> Self:  # noqa: D102 - help shows `__init__`
            if (args or kwargs) and _constructor(cls) is object.__init__:
                raise TypeError(f"{cls.__name__}() takes no arguments")
            if args:
                _require_named(cls, args)
            instance = super().__new__(cls)
            object.__setattr__(instance, "_arguments", (args, kwargs))  # also of a frozen dataclass
            return instance

    def _replace_arguments(self, owner: type[Any], *args: Any) -> None:
        """Record other positional arguments: the passed ones after conversion.

        Args:
            owner: The class whose constructor calls this. The arguments of a subclass that has a
                constructor of its own stay as they are.
            args: The arguments to record.
        """
        if _constructor(type(self)) is _constructor(owner):
            self._arguments = (args, {})

    def config(self) -> Mapping[str, Any]:
        """Return the constructor's arguments by parameter name.

        Arguments that were not passed are left out. The values of `*args` are a tuple, those of
        `**kwargs` a dict. Secrets are not hidden here, as they are in `repr`.
        """
        return _bind(type(self), self._arguments)

    def fingerprint(self) -> str:
        """Return 32 hexadecimal digits that are equal for equal configurations.

        They are the same in every process and version of Python, and differ if the class or any
        option does, here or in an object within this one. Keys do not count. Functions count by
        name, source text, defaults and closure, classes of your own by name and source text. What
        these call does not count, nor does the version of planish. Use it as a key for results
        that are kept, such as the `prefix` of a `Cache`, or to see whether a run is resumed with
        its own pipeline.

        Raises:
            TypeError: an option is an object that has no `config()` and is no value.
        """
        from planish.fingerprint import fingerprint_of  # noqa: PLC0415 - loads OpenSSL

        return fingerprint_of(self)

    def __eq__(self, other: object, /) -> bool:
        if self is other:
            return True
        if type(self) is not type(other) or not isinstance(other, Configured):
            return NotImplemented
        one, another = _identity(self), _identity(other)
        return one.keys() == another.keys() and all(
            _is_equal(value, another[name]) for name, value in one.items()
        )

    def __hash__(self) -> int:
        return hash((type(self), _hash_of(_identity(self))))

    def __repr__(self) -> str:
        return format_config(type(self), self._arguments, _config_of(self))


def _config_of(thing: Configured) -> Mapping[str, Any]:
    # Not `thing.config()`: an attribute of a subclass may have that name.
    return type(thing).config(thing)


def _constructor(cls: type[Any]) -> Any:
    """Return the `__init__` that a class uses."""
    return cls.__init__


def _constructor_signature(cls: type[Any]) -> Signature:
    """Return the parameters of a class's constructor, without `self`."""
    signature = _signatures.get(cls)
    if signature is None:
        init = _constructor(cls)
        signature = Signature()
        if init is not object.__init__:
            signature = inspect.signature(MethodType(init, cls))
        _signatures[cls] = signature
    return signature


def _require_named(cls: type[Any], args: tuple[Any, ...]) -> None:
    """Check that no argument is passed by position that has to be passed by name.

    Raises:
        TypeError: one is; the message says how to write it.
    """
    code: Any = getattr(_constructor(cls), "__code__", None)  # its signature takes 20 microseconds
    if code is None or code.co_flags & inspect.CO_VARARGS or len(args) < code.co_argcount:
        return
    options = code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount]
    if options:
        value = f"{args[code.co_argcount - 1]!r:.80}"
        raise TypeError(
            f"{cls.__name__}(..., {value}): name this argument, as in {options[0]}={value}; "
            f"its options are {', '.join(options)}"
        )


def _bind(cls: type[Any], arguments: _Arguments) -> dict[str, Any]:
    """Return constructor arguments by parameter name.

    The constructor has accepted them, so they are not checked; `Signature.bind` takes ten times
    as long. Positional arguments that have no parameter, because `__new__` of the class
    replaces the arguments, are under "args".
    """
    args, kwargs = arguments
    config: dict[str, Any] = {}
    rest = list(args)
    named = dict(kwargs)
    for name, parameter in _constructor_signature(cls).parameters.items():
        kind = parameter.kind
        if kind is Parameter.VAR_POSITIONAL:
            if rest:
                config[name] = tuple(rest)
                rest.clear()
        elif kind is Parameter.VAR_KEYWORD:
            if named:
                config[name] = named
                named = {}
        elif rest and kind is not Parameter.KEYWORD_ONLY:
            config[name] = rest.pop(0)
        elif name in named:
            config[name] = named.pop(name)
    return {**config, **named, **({"args": tuple(rest)} if rest else {})}


def _identity(thing: Configured) -> dict[str, Any]:
    """Return the configuration without arguments that equal their default."""
    parameters = _constructor_signature(type(thing)).parameters
    identity = {
        name: value
        for name, value in _config_of(thing).items()
        if name not in parameters or not _is_equal(value, parameters[name].default)
    }
    given_name = vars(thing).get("_given_name")  # see `planish.runtime.naming`
    return identity if given_name is None else identity | {"named()": given_name}


def _is_equal(one: object, other: object) -> bool:
    """Return whether two values are equal. Values that cannot be compared, as arrays, are not."""
    if one is other:
        return True
    try:
        return bool(one == other)
    except (TypeError, ValueError):
        return False


def format_config(cls: type[Any], arguments: _Arguments, config: Mapping[str, Any]) -> str:
    """Format a constructor call as source code would show it.

    Args:
        cls: The class.
        arguments: The arguments as they were passed: those passed by keyword are formatted so.
        config: The arguments to show, by parameter name.
    """
    positional: list[object] = []
    by_name: dict[str, object] = {}
    parameters = _constructor_signature(cls).parameters
    for name, value in config.items():
        parameter = parameters.get(name)
        kind = Parameter.KEYWORD_ONLY if parameter is None else parameter.kind
        if kind is Parameter.VAR_POSITIONAL:
            positional += value
        elif kind is Parameter.VAR_KEYWORD:
            by_name.update(value)
        elif (
            kind is Parameter.KEYWORD_ONLY
            or name in arguments[1]
            or _skips(parameters, config, name)
        ):
            by_name[name] = value
        else:
            positional.append(value)
    return format_call(cls.__name__, positional, by_name)


def _skips(parameters: Mapping[str, Parameter], config: Mapping[str, Any], name: str) -> bool:
    """Return whether a parameter before this one is not shown, so that its place is not known."""
    before = list(parameters)[: list(parameters).index(name)]
    return any(other not in config for other in before)


def _hash_of(value: object) -> int:
    """Return a hash that is equal for equal values, also for lists and dicts.

    A value that cannot be hashed and is no collection hashes to 0.
    """
    if isinstance(value, Mapping):
        items = cast("Mapping[Hashable, object]", value).items()
        return hash(frozenset((key, _hash_of(item)) for key, item in items))
    if isinstance(value, list | tuple):
        return hash(tuple(map(_hash_of, cast("list[object]", value))))
    if isinstance(value, AbstractSet):
        return hash(frozenset(cast("AbstractSet[Hashable]", value)))
    try:
        return hash(value)
    except TypeError:
        return 0


def instances_in(cls: Any, value: Any) -> list[Any]:
    """Return the instances of a class in a value: itself, or in lists, tuples and mappings."""
    if isinstance(value, cls):
        return [value]
    if not isinstance(value, list | tuple) and isinstance(value, Mapping):
        value = list(cast("Mapping[Any, Any]", value).values())  # type: ignore[redundant-cast]  # pyright: Unknown
    if isinstance(value, list | tuple):
        inner = (instances_in(cls, item) for item in cast("list[Any]", value))
        return [instance for instances in inner for instance in instances]
    return []


DEEPEST = 64
"""The most levels of primitives within primitives; `a >> b` has two.

A level takes up to 10 frames of Python's stack, which holds 1,000: a run with listeners takes
more than one without, `repr`, `==` and `pickle` take as many.
"""


def depth_of(primitive: object) -> int:
    """Return how many levels of primitives there are: 1 if there are none within this one.

    Args:
        primitive: An object whose class has a method `children`.
    """
    attributes: dict[str, Any] = vars(primitive)
    depth: int | None = attributes.get("_depth")
    if depth is None:
        kind = cast("Any", type(primitive))  # an attribute may have the name `children`
        try:
            children: tuple[Any, ...] = kind.children(primitive)
            depth = 1 + max(map(depth_of, children), default=0)
        except RecursionError:
            depth = DEEPEST
        object.__setattr__(primitive, "_depth", depth)  # also of a frozen dataclass
    return depth
