"""Run one program in a warm worker, from acquiring it to the result."""

from collections.abc import Callable

from planish.abc import OnOutput
from planish.data.program import Completed, Program
from planish.errors import SandboxLostError

from ._configuration import ZygoteConfig, verifies
from ._conversation import Conversation
from ._pool import Pool
from ._worker import Worker

__all__ = ["acquire", "run_program"]

_TRIES = 10  # workers that may die before the program has started: all that were ready


async def run_program(
    pool: Pool,
    config: ZygoteConfig,
    program: Program,
    request: Callable[..., bytes],
    findings: tuple[str, ...] = (),
    on_output: OnOutput | None = None,
) -> Completed:
    """Run a program in a worker of some configuration.

    If the worker dies before the program has started, another one is taken.

    Args:
        pool: Where the workers come from.
        config: What their template process is made of.
        program: What to run.
        request: Encodes the request; takes `has_verifier` as `encode_request` does.
        findings: Added to those of the result.
        on_output: Called with each piece of output as it arrives.

    Raises:
        SandboxLostError: the worker died, and the program may have run.
        SandboxError: no worker can be made.
    """
    for _ in range(_TRIES):
        if verifies(program):
            pool.load_verifier(config)
        worker = await acquire(pool, config)
        conversation = Conversation(worker, program, on_output)
        try:
            has_started = await conversation.wait(request(has_verifier=worker.has_verifier))
        finally:
            await worker.finish()
        if has_started:
            return conversation.completed(config.tier, findings)
    raise SandboxLostError("LocalSandbox: its sandboxes die before a program starts in them")


async def acquire(pool: Pool, config: ZygoteConfig) -> Worker:
    """Return a worker that is ready; try once more if the template process was killed.

    Raises:
        SandboxError: no worker can be made.
    """
    try:
        return await pool.acquire(config)
    except SandboxLostError:  # it was killed while it was idle: nothing is lost
        return await pool.acquire(config)
