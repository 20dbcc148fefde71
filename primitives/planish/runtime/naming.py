"""Names that users give to primitives: `.named("cheap")`."""

from copy import copy
from typing import Any, Self

from planish.configuration import Configured

__all__ = [
    "Named",
    "advice_for",
    "format_named",
    "given_name",
    "name_in_path",
    "segment_of",
    "with_article",
]

_LONGEST = 60  # characters of a name


class Named(Configured):
    """A configured object that can be given a name."""

    _given_name: str | None = None

    def named(self, name: str) -> Self:
        """Return a copy with a name, which paths, spans, `repr` and reports show.

        A named sequence, race or fan-out stays one step of the pipeline around it, where an
        unnamed one becomes part of it. With another name it is another primitive: they are not
        equal, and a journal that is keyed by paths does not know it.

        Args:
            name: What to call it: 1 to 60 printable characters without a slash.

        Raises:
            ValueError: the name is no such text.

        Example:
            >>> from planish import step
            >>> step(abs).named("size") >> step(str)
            step(abs).named('size') >> str
        """
        text: Any = name
        if not isinstance(text, str) or not text.strip() or not text.isprintable() or "/" in text:
            raise ValueError(f"named({name!r}): a name is a printable text without a slash")
        if len(text) > _LONGEST:
            raise ValueError(f"named({name[:20]!r}...): {len(name)} characters, of {_LONGEST}")
        same = copy(self)
        object.__setattr__(same, "_given_name", name)  # also of a frozen dataclass
        return same


def given_name(thing: Named) -> str | None:
    """Return the name that a primitive was given; None if it was given none."""
    return thing._given_name  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - its own module


def format_named(thing: Named, text: str) -> str:
    """Return the text of a primitive, with the call that named it if it was named.

    Args:
        thing: The primitive.
        text: Its text without the name.
    """
    name = given_name(thing)
    return text if name is None else f"{text}.named({name!r})"


def name_in_path(thing: Named, kind: str) -> str:
    """Return what paths call a combinator: the name it was given, or else that of its kind.

    Args:
        thing: The combinator.
        kind: "Race", for example.
    """
    return given_name(thing) or kind


def segment_of(parent_name: str, key: object, step: Named) -> str:
    """Return the segment of the path of a step of a combinator: "Race[0]", "Race[0:cheap]".

    Args:
        parent_name: What paths call the combinator.
        key: What tells its steps apart: an index, or the name of a route.
        step: The step.
    """
    name = given_name(step)
    return f"{parent_name}[{key}]" if name is None else f"{parent_name}[{key}:{name}]"


def with_article(noun: str) -> str:
    """Return a noun with "a" or "an" before it."""
    return f"{'an' if noun[:1].lower() in 'aeiou' else 'a'} {noun}"


def advice_for(thing: object) -> str:
    """Return what to write in place of an object that is no step, for a message; may be empty."""
    if isinstance(thing, list | tuple):
        return "; pass the steps one by one, as in Parallel(*steps) or Race(*steps)"
    if hasattr(thing, "reply"):
        return "; for a model, write CodeGenerator(model)"
    if hasattr(thing, "run") and hasattr(thing, "name"):
        return "; for a sandbox, write CodeExecution(sandbox)"
    return f"; for a class, write step({thing.__name__})" if isinstance(thing, type) else ""
