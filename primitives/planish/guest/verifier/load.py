"""Preamble and candidate, run in one namespace."""

from __future__ import annotations

from .namespace import Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["load"]


def load(plan: dict[str, Any]) -> tuple[Namespace, BaseException | None]:
    """The namespace after preamble and candidate have run in it, and what they raised.

    Args:
        plan: "name": of the namespace's module; "files": the files to run, in order.
    """
    space = Namespace(plan["name"])
    try:
        for file in plan["files"]:
            with open(file, encoding="utf-8") as text:  # noqa: PTH123  # slow to load
                source = text.read()
            space.run(source, file)
    except BaseException as error:  # noqa: BLE001  # a candidate may raise what it likes
        return space, error
    return space, None
