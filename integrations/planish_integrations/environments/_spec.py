"""`EnvSpec`: the specification of an environment, and its fingerprint."""

import json
import platform
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import Any, Self, cast

from planish.arguments import require_texts

from ._requirements import canonical_requirements

__all__ = ["EnvSpec"]

_SETS = ("system_packages", "env")


def _python() -> str:
    return platform.python_version()


def _platform() -> str:
    return sysconfig.get_platform()


def _abi() -> str:
    # "cpython-311-x86_64-linux-gnu": distinguishes glibc from musl, and free-threaded builds.
    return str(sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvSpec:
    """What an environment consists of. Frozen, compared by value, serialized as JSON.

    Requirements, constraints, system packages and variable names are sets: their order and the
    spelling of names do not matter. Commands and sources are lists: their order matters.

    Attributes:
        language: The language of the programs.
        python: The version of Python: "3.11.7". This and the next three default to those of this
            interpreter.
        implementation: "cpython", "pypy".
        platform: The value of `sysconfig.get_platform`: "linux-x86_64".
        abi: The tag of extension modules: "cpython-311-x86_64-linux-gnu".
        requirements: Distributions with versions or ranges in pip's syntax: "pandas>=2,<3".
        constraints: Versions or ranges for dependencies.
        system_packages: Packages of the operating system; none is added.
        commands: Commands to run after the installation, in this order.
        env: The names of environment variables that the build may read; never their values.
        base_image: The container image to start from.
        sources: Where packages come from, without credentials; empty for pip's own configuration.
        wheels_only: Install no source distributions, because building one runs its code.

    Raises:
        ValueError: a requirement is not in pip's format or is an address, or a name occurs twice;
            or a single text where a collection of texts is required.
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
            require_texts("EnvSpec", name, getattr(self, name))
        for name in ("requirements", "constraints"):
            object.__setattr__(self, name, canonical_requirements(getattr(self, name)))
        for name in _SETS:
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))
        for name in ("commands", "sources"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the specification as 64 hexadecimal digits."""
        return sha256(self.to_json().encode()).hexdigest()

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the specification as JSON text with sorted keys.

        Args:
            indent: Spaces per level; None (the default) for one line.
        """
        separators = (",", ":") if indent is None else None
        return json.dumps(asdict(self), sort_keys=True, indent=indent, separators=separators)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the specification that `to_json` wrote.

        Raises:
            ValueError: the text is not such a value; the message names the field.
        """
        decoded: Any = json.loads(text)
        if not isinstance(decoded, dict):
            raise ValueError(f"not an EnvSpec: {str(text)[:100]!r}")  # noqa: TRY004  # `from_json` documents ValueError
        types = {one.name: one.type for one in fields(cls)}
        values: dict[str, Any] = {}
        for name, value in cast("Mapping[str, Any]", decoded).items():
            if name not in types or not _has_type(types[name], value):
                raise ValueError(f"not an EnvSpec: {name!r} is {str(value)[:100]!r}")
            values[name] = tuple(cast("list[str]", value)) if isinstance(value, list) else value
        return cls(**values)


def _has_type(kind: Any, value: object) -> bool:
    if kind == tuple[str, ...]:
        items = cast("list[object]", value) if isinstance(value, list) else [None]
        return all(isinstance(one, str) for one in items)
    return isinstance(value, kind)
