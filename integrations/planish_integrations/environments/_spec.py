"""`EnvSpec`: what an environment holds, and a fingerprint of all that changes it."""

import json
import platform
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import Any, Self, cast

from ._requirements import canonical

__all__ = ["EnvSpec"]

_SETS = ("system_packages", "env")


def _python() -> str:
    return platform.python_version()


def _platform() -> str:
    return sysconfig.get_platform()


def _abi() -> str:
    # "cpython-311-x86_64-linux-gnu": tells glibc from musl, and free-threaded builds apart.
    return str(sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvSpec:
    """What an environment is made of. Frozen, compared by value, travels as JSON.

    Requirements, constraints, system packages and names of variables are sets: their order and
    the spelling of names do not matter. Commands and sources are lists: their order does.

    Attributes:
        language: What the programs are written in.
        python: The version of Python: "3.11.7". Default: this interpreter's, as the next three.
        implementation: "cpython", "pypy".
        platform: As `sysconfig.get_platform` says it: "linux-x86_64".
        abi: The tag of extension modules: "cpython-311-x86_64-linux-gnu".
        requirements: Distributions with versions or ranges as pip takes them: "pandas>=2,<3".
        constraints: Versions or ranges for what is installed besides, because something needs it.
        system_packages: Packages of the operating system. Exactly these: nothing is added.
        commands: Run after the installation, in this order.
        env: The names of environment variables the build may see. Names, never values.
        base_image: The image of a container to start from.
        sources: Where packages come from, without credentials; empty for pip's own setting.
        wheels_only: No source is built, because to build one runs it.

    Raises:
        ValueError: a requirement is not of pip's form, or is an address; one name is twice
            among them.
        TypeError: text where a collection of texts belongs.
    """

    language: str = "python"
    python: str = field(default_factory=_python)
    implementation: str = sys.implementation.name
    platform: str = field(default_factory=_platform)
    abi: str = field(default_factory=_abi)
    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    system_packages: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    base_image: str | None = None
    sources: tuple[str, ...] = ()
    wheels_only: bool = True

    def __post_init__(self) -> None:
        for name in ("requirements", "constraints", "commands", "sources", *_SETS):
            if isinstance(getattr(self, name), str):
                raise TypeError(f"EnvSpec({name}=...): must be several texts, not one")
        for name in ("requirements", "constraints"):
            object.__setattr__(self, name, canonical(getattr(self, name)))
        for name in _SETS:
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))
        for name in ("commands", "sources"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the specification, as 64 hexadecimal digits: equal for equal ones only."""
        return sha256(self.to_json().encode()).hexdigest()

    def to_json(self, *, indent: int | None = None) -> str:
        """The specification as JSON text, its keys sorted.

        Args:
            indent: Spaces per level; None (the default) for one line.
        """
        separators = (",", ":") if indent is None else None
        return json.dumps(asdict(self), sort_keys=True, indent=indent, separators=separators)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The specification `to_json` wrote.

        Raises:
            ValueError: the text is not such a value; it names the field.
        """
        read: Any = json.loads(text)
        if not isinstance(read, dict):
            raise ValueError(f"not an EnvSpec: {str(text)[:100]!r}")  # noqa: TRY004  # as promised
        kinds = {one.name: one.type for one in fields(cls)}
        values: dict[str, Any] = {}
        for name, value in cast("Mapping[str, Any]", read).items():
            if name not in kinds or not _fits(kinds[name], value):
                raise ValueError(f"not an EnvSpec: {name!r} is {str(value)[:100]!r}")
            values[name] = tuple(cast("list[str]", value)) if isinstance(value, list) else value
        return cls(**values)


def _fits(kind: Any, value: object) -> bool:
    if kind == tuple[str, ...]:
        several = cast("list[object]", value) if isinstance(value, list) else [None]
        return all(isinstance(one, str) for one in several)
    return isinstance(value, kind)
