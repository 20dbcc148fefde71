"""What any sandbox can be held to, without pytest."""

from collections.abc import Awaitable, Callable
from functools import partial

from planish.abc import Sandbox
from planish.testing._conformance import hold_to
from planish.testing._sandbox_ending import ENDING, cancels
from planish.testing._sandbox_running import RUNNING

__all__ = ["check_sandbox"]


async def check_sandbox(sandbox: Sandbox, *, promptly: float = 5.0) -> tuple[str, ...]:
    """Hold a sandbox to `planish.abc.Sandbox`.

    Runs some 50 short Python programs, for about 10 seconds where starting one takes none. For
    `memory_mb`, `processes` and `file_bytes`, `UnsupportedError` is an answer too.

    >>> import anyio
    >>> from planish_integrations.local import LocalSandbox
    >>> len(anyio.run(check_sandbox, LocalSandbox()))
    28

    Args:
        sandbox: Any implementation.
        promptly: Seconds a cancelled run may take to end.

    Returns:
        The names of the checks, all of which it passed.

    Raises:
        ConformanceError: it failed some; `failures` says which, and how. All are run.
    """
    checks: dict[str, Callable[[Sandbox], Awaitable[None]]] = {
        **RUNNING,
        **ENDING,
        "cancelling ends it promptly": partial(cancels, promptly),
    }
    return await hold_to(checks, sandbox)
