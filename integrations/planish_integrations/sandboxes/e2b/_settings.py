"""What an `E2BSandbox` was configured with, checked."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from planish.errors import AuthenticationError

from ._plan import Plan

__all__ = ["Settings"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All of it, immutable; its `repr` shows no secret."""

    template: str | None
    plan: Plan
    lifetime: float
    warm: int
    reuse: bool
    internet: bool
    retries: int
    env: Mapping[str, str] = field(repr=False)
    languages: Mapping[str, tuple[str, ...]] = field(repr=False)
    options: Mapping[str, Any] = field(repr=False)

    @cached_property
    def key(self) -> str:
        """The key, given or in the environment.

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
        """What every call of the SDK's control plane takes."""
        return {**self.options, "api_key": self.key}
