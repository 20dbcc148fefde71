"""The configuration of an `E2BSandbox`: the quotas of the account, and all other options."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from planish.arguments import require_mapping, require_text
from planish.errors import AuthenticationError

__all__ = ["HOBBY", "PRO", "Plan", "Settings", "check_mappings", "check_texts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The quotas of an account, and how long to wait for a busy service.

    The figures of `HOBBY` and `PRO` are those of https://e2b.dev/docs/sandbox/rate-limits and
    https://e2b.dev/docs/sandbox, read in November 2026.

    Attributes:
        concurrency: Sandboxes alive at once; more runs wait.
        rate: Sandboxes made in a second.
        longest: Seconds a sandbox may live without a pause.
        patience: Seconds to go on trying where E2B is busy (429, 503) or not to be reached.

    Raises:
        ValueError: one of them is not more than 0.
    """

    concurrency: int = 20
    rate: float = 1.0
    longest: float = 3600.0
    patience: float = 60.0

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not getattr(self, name) > 0:
                raise ValueError(f"Plan({name}={getattr(self, name)!r}): must be more than 0")


HOBBY = Plan()
"""The free plan: 20 sandboxes at once, one made a second, an hour each."""

PRO = Plan(concurrency=100, rate=5.0, longest=86_400.0)
"""The paid plan: 100 sandboxes at once, five made a second, a day each."""


def check_texts(template: object, api_key: object) -> None:
    """Refuse a template or a key that is no text; the message shows no key.

    Raises:
        ValueError: one of them is neither a text nor None.
    """
    if template is not None:
        require_text("E2BSandbox", "template", template)
    if api_key is not None and not isinstance(api_key, str):
        kind = type(api_key).__qualname__
        raise ValueError(f"E2BSandbox(api_key=...): must be a text, not {kind}")


def check_mappings(env: object, options: object) -> None:
    """Refuse variables that no process can have, and arguments that are no mappings.

    Raises:
        ValueError: an argument is no mapping; a variable is no text, has no name, or a name or
            value that no process can have.
    """
    for argument, value in (("env", env), ("options", options)):
        if value is not None:
            require_mapping("E2BSandbox", argument, value, "values by name")
    for name, text in cast("Mapping[Any, Any]", env or {}).items():
        if not isinstance(name, str) or not name or "=" in name or "\0" in name:
            raise ValueError(f"E2BSandbox(env=...): no process can have the variable {name!r}")
        if not isinstance(text, str) or "\0" in text:
            raise ValueError(
                f"E2BSandbox(env=...): the variable {name!r} must be a text without a NUL"
            )


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All options, immutable; `repr` shows no secret."""

    template: str | None
    plan: Plan
    lifetime: float
    warm: int
    reuse: bool
    internet: bool
    retries: int
    env: Mapping[str, str] = field(repr=False)
    languages: Mapping[str, tuple[str, ...]]
    options: Mapping[str, Any] = field(repr=False)

    @cached_property
    def key(self) -> str:
        """The API key, from the options or the environment.

        Raises:
            AuthenticationError: there is none.
        """
        key = self.options.get("api_key") or os.environ.get("E2B_API_KEY")
        if not key:
            raise AuthenticationError(
                "E2B needs a key: set E2B_API_KEY to one of https://e2b.dev/dashboard?tab=keys, "
                "or pass E2BSandbox(api_key=...)"
            )
        return str(key)

    @property
    def connection(self) -> dict[str, Any]:
        """Arguments of every call of the SDK's control plane."""
        return {**self.options, "api_key": self.key}
