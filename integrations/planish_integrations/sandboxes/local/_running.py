"""One program, from a sandbox that is ready to its result."""

from collections.abc import Callable

from planish.data.program import Completed, Program
from planish.errors import SandboxLostError

from ._configuration import Recipe, verifies
from ._conversation import Conversation
from ._pool import Pool
from ._worker import Spare

__all__ = ["claim", "run_in"]

_TRIES = 10  # sandboxes that may die before the program has started: all that were ready


async def run_in(
    pool: Pool,
    recipe: Recipe,
    program: Program,
    request: Callable[..., bytes],
    findings: tuple[str, ...] = (),
) -> Completed:
    """Run a program in a sandbox made after a recipe.

    A sandbox that dies before it has the program costs nothing but a second one.

    Args:
        pool: Where the sandboxes come from.
        recipe: What they are made after.
        program: What to run.
        request: Makes the message that asks for it; `has_verifier` as `asked`.
        findings: Added to the result's.

    Raises:
        SandboxLostError: the sandbox died, and the program may have run.
        SandboxError: no sandbox can be made.
    """
    for _ in range(_TRIES):
        if verifies(program):
            pool.load_verifier(recipe)
        spare = await claim(pool, recipe)
        talk = Conversation(spare, program)
        try:
            begun = await talk.wait(request(has_verifier=spare.has_verifier))
        finally:
            await spare.put_down()
        if begun:
            return talk.completed(recipe.tier, findings)
    raise SandboxLostError("LocalSandbox: its sandboxes die before a program starts in them")


async def claim(pool: Pool, recipe: Recipe) -> Spare:
    """A sandbox that is ready.

    Raises:
        SandboxError: none can be made.
    """
    try:
        return await pool.claim(recipe)
    except SandboxLostError:  # it was killed while it was idle: nothing is lost
        return await pool.claim(recipe)
