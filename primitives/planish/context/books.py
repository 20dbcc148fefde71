"""`ledger_scope`: a ledger of its own for an attempt, a branch or a loop."""

from contextvars import Token
from dataclasses import replace
from types import TracebackType
from typing import Any

from planish.context.ledger import Ledger
from planish.context.scope import Scope, current, enter, leave

__all__ = ["ledger_scope"]


class ledger_scope:  # noqa: N801 - reads as the verb it is: `with ledger_scope() as book:`
    """A new ledger below the current one, for a `with` block.

    When the block ends with an exception, what it noted goes to the ledger around it: there
    will be no result that says it.

    Args:
        changes: Further changes to the scope: `path`, `attempt`.
    """

    __slots__ = ("_book", "_changes", "_token")

    def __init__(self, **changes: Any) -> None:
        self._changes = changes

    def __enter__(self) -> Ledger:
        around = current()
        self._book = Ledger(around.ledger)
        scope = replace(around, ledger=self._book, **self._changes)
        self._token: Token[Scope] = enter(scope)
        return self._book

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        leave(self._token)
        if error is not None:
            self._book.merge_into_parent()
