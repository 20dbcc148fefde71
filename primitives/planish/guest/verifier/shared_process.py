"""Run the candidate in the tests' process, for tests that need both in one process."""

from __future__ import annotations

import sys

from .guard import is_a
from .namespace import Namespace, load
from .packages import new_packages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .evidence import Evidence

__all__ = ["Together"]


class Together:
    """Give tests access to a candidate in their own process, as `Judge` does across two.

    Args:
        plan: See `start`.
        evidence: Where to report what weakens the evidence: all of this does.
    """

    def __init__(self, plan: dict[str, Any], evidence: Evidence) -> None:
        self.plan = plan
        self.evidence = evidence
        self.space: Namespace

    def load(self) -> BaseException | None:
        """Run preamble and candidate; return what they raised."""
        self.space, raised = load(self.plan)
        sys.modules.setdefault("solution", self.space.module)
        return raised

    def want_for(self, names: set[str], entry: str | None, reaches_modules: bool) -> None:  # noqa: FBT001
        """Do nothing: the tests have all names of the candidate's."""

    def offer(self, name: str, first: Callable[[], None], *, last: bool = False) -> None:
        """Do nothing: the tests import the candidate's module from its file."""

    def is_of_tests(self, error: BaseException) -> bool:
        """Tell whether an exception shows that the tests cannot run, whatever the candidate."""
        name = str(getattr(error, "name", None) or "")
        own = (self.plan["name"], "solution", *self.plan["modules"])
        missing = is_a(error, ImportError)
        return missing and not any(name == one or one.startswith(f"{name}.") for one in own)

    def packages(self) -> list[str]:
        """Name the packages that tests or candidate have imported."""
        return list(new_packages())
