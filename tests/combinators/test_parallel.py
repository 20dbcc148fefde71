from collections.abc import Callable

import anyio
import pytest

from planish import Parallel, step
from planish.steps.function import Step


def times(by: int) -> Step[int, int]:
    def scale(value: int) -> int:
        return by * value

    return step(scale)


@pytest.mark.anyio
async def test_all_get_the_same_value_and_give_a_tuple_in_their_order() -> None:
    meeting = anyio.Event()

    async def wait(value: int) -> str:
        await meeting.wait()
        return f"waited with {value}"

    async def release(value: int) -> int:
        meeting.set()
        return -value

    assert await (step(wait) & step(release) & times(3)).run(2) == ("waited with 2", -2, 6)


@pytest.mark.anyio
async def test_more_than_two_and_nested_ones_are_flat() -> None:
    branches = [times(by) for by in range(8)]
    assert await Parallel(*branches).run(2) == tuple(range(0, 16, 2))
    one, other, third, fourth = branches[:4]
    assert await ((one & other) & (third & fourth)).run(1) == (0, 1, 2, 3)


def failing(error: Callable[[], Exception], after: anyio.Event | None = None) -> Step[int, int]:
    async def fail(value: int) -> int:
        if after is not None:
            await after.wait()
        raise error()

    return step(fail)


@pytest.mark.anyio
async def test_the_first_error_is_raised_when_the_others_have_ended() -> None:
    ended: list[str] = []
    started = anyio.Event()

    async def hang(value: int) -> int:
        try:
            started.set()
            await anyio.sleep(10)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.02)
            ended.append("cleaned up")
        return value

    with pytest.raises(LookupError):
        await (step(hang) & failing(LookupError, started)).run(1)
    assert ended == ["cleaned up"]


@pytest.mark.anyio
async def test_errors_that_came_with_it_are_noted_on_it() -> None:
    begun = anyio.Event()

    async def fail_when_cancelled(value: int) -> int:
        try:
            begun.set()
            await anyio.sleep_forever()
        finally:
            raise OSError("while ending")
        return value

    with pytest.raises(LookupError) as caught:
        await (step(fail_when_cancelled) & failing(LookupError, begun)).run(1)
    assert caught.value.__notes__ == ["another branch raised OSError('while ending')"]


@pytest.mark.anyio
async def test_what_a_branch_raises_while_it_is_cancelled_comes_alone() -> None:
    begun = anyio.Event()

    async def fail_when_cancelled(value: int) -> int:
        try:
            begun.set()
            await anyio.sleep_forever()
        finally:
            raise LookupError("while ending")
        return value

    async def cancel(value: int) -> int:
        await begun.wait()
        scope.cancel()
        await anyio.sleep_forever()
        return value

    with pytest.raises(LookupError, match="while ending"), anyio.CancelScope() as scope:
        await (step(fail_when_cancelled) & step(cancel)).run(1)


@pytest.mark.anyio
async def test_a_group_that_a_branch_raises_stays_a_group() -> None:
    def group() -> Exception:
        return ExceptionGroup("its own", [LookupError("a"), OSError("b")])

    with pytest.raises(ExceptionGroup) as caught:
        await (failing(group) & times(2)).run(1)
    assert caught.value.message == "its own"


def test_it_prints_with_the_parentheses_it_needs() -> None:
    def total(values: tuple[int, int]) -> int:
        return sum(values)

    one, other = times(1), times(2)
    assert repr((one & other) >> total) == "(scale & scale) >> total"
    assert repr((one >> other) & one) == "scale >> scale & scale"


@pytest.mark.anyio
@pytest.mark.parametrize("limit", [1, 2, 5])
async def test_no_more_branches_run_at_once_than_the_limit(limit: int) -> None:
    busy = most = 0

    async def work(value: int) -> int:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await anyio.sleep(0.01)
        busy -= 1
        return value

    limited = Parallel(*[step(work)] * 5, concurrency=limit)
    assert await limited.run(3) == (3,) * 5
    assert most == limit
    most = 0
    assert await (limited & times(2)).run(3) == (3, 3, 3, 3, 3, 6)
    assert most == limit


def test_a_limit_is_part_of_its_value() -> None:
    one, other = times(1), times(2)
    limited = Parallel(one, other, concurrency=1)
    assert limited == Parallel(one, other, concurrency=1)
    assert limited != one & other
    assert limited.config()["concurrency"] == 1
    with pytest.raises(ValueError, match="must be at least 1"):
        Parallel(one, other, concurrency=0)
