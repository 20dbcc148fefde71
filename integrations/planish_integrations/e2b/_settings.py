"""What an `E2BSandbox` was configured with, checked; and the SDK, found."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from planish.errors import AuthenticationError, UnsupportedError

from ._plan import Plan

if TYPE_CHECKING:
    from e2b_code_interpreter import AsyncSandbox

__all__ = ["Settings", "the_sdk"]


def the_sdk() -> "type[AsyncSandbox]":
    """The SDK's class of sandboxes.

    Raises:
        UnsupportedError: the SDK is not installed.
    """
    try:
        from e2b_code_interpreter import AsyncSandbox  # noqa: PLC0415  # an extra, slow to load
    except ModuleNotFoundError as error:
        raise UnsupportedError(
            f"E2BSandbox needs E2B's SDK, and there is no {error.name!r}: "
            'pip install "planish[e2b]"'
        ) from None
    return AsyncSandbox


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
