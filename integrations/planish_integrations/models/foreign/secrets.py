"""Find the secrets that another library's model works with, to keep them out of errors."""

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, cast

from planish_integrations.models.transport import Redactor, holds_secret, without_secrets

__all__ = ["packed", "redactor_for", "unpacked", "without_secrets"]

_MAX_OBJECTS = 5_000
"""How many objects are looked at: a model may hold a client, which holds a pool, and so on."""

_PLAIN = (int, float, bool, type(None), type, ModuleType, FunctionType)


def redactor_for(model: object, error: BaseException) -> Redactor:
    """Return what replaces the secrets of a model in texts.

    They are read from the environment, from the model with all that it holds, and from the
    requests that the error and its causes hold: values whose name says that they are secret, and
    those that a library wraps to hide them.

    Args:
        model: The other library's model, or its options.
        error: What it raised.
    """
    secrets = [value for name, value in os.environ.items() if holds_secret(name)]
    secrets += _secrets_in(model)
    for one in _chain(error):
        secrets += _secrets_in(vars(one))
    return Redactor(secrets)


def packed(owner: object, value: object) -> bytes:
    """Return the pickle of another library's object, which has to hold no secret.

    Args:
        owner: The model that holds it, for the message.
        value: The object.

    Raises:
        TypeError: it holds keys, or cannot be pickled.
    """
    why = "its keys would be in the pickle, which others could read in a queue or a file"
    if not any(_secrets_in(value)):
        try:
            return pickle.dumps(value)
        except Exception as error:  # noqa: BLE001 - another library's object may raise anything
            why = f"{type(value).__name__} cannot be ({type(error).__name__})"
    raise TypeError(f"{owner!r} is not pickled: {why}; create the model where it runs") from None


def unpacked(pickled: bytes) -> Any:
    """Return the object that `packed` pickled."""
    return pickle.loads(pickled)  # noqa: S301 - part of a pickle that is being read


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, its causes and contexts, and those of the errors of a group."""
    queue, known = deque([error]), set[int]()
    while queue:
        one = queue.popleft()
        if one is None or id(one) in known:
            continue
        known.add(id(one))
        yield one
        queue += [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            queue += cast("BaseExceptionGroup[BaseException]", one).exceptions


def _secrets_in(root: object) -> list[str]:
    queue: deque[tuple[str, Any]] = deque([("", root)])
    known: set[int] = set()
    found: list[str] = []
    while queue and len(known) < _MAX_OBJECTS:
        name, value = queue.popleft()
        if isinstance(value, str | bytes):
            if holds_secret(name):
                found.append(value if isinstance(value, str) else value.decode("latin-1"))
            continue
        if isinstance(value, _PLAIN) or id(value) in known:
            continue
        known.add(id(value))
        reveal: Callable[[], object] | None = getattr(value, "get_secret_value", None)
        if callable(reveal):  # pydantic's SecretStr, which LangChain's models have
            found.append(str(reveal()))
            continue
        queue += _parts(name, value)
    return found


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what an object holds, with its names. Parts without one have that of the object."""
    kind = cast("Any", type(value))
    if issubclass(kind, Mapping):
        for key, item in value.items():
            yield str(key), item
    elif issubclass(kind, list | tuple | set | frozenset):
        for item in value:
            yield name, item
    elif issubclass(kind, partial):
        yield from [(name, value.func), (name, value.args), (name, value.keywords)]
    elif issubclass(kind, MethodType):
        yield name, value.__self__
    else:
        attributes: dict[str, Any] = getattr(value, "__dict__", {})
        hidden: dict[str, Any] = getattr(value, "__pydantic_private__", None) or {}
        yield from attributes.items()
        yield from hidden.items()
