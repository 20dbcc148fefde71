import pytest

from planish import Primitive, Sequential, step


def double(value: int) -> int:
    return 2 * value


async def say(value: int) -> str:
    return f"it is {value}"


class Shout(Primitive[str, str]):
    async def _run(self, value: str) -> str:
        return value.upper()


@pytest.mark.anyio
async def test_each_step_takes_what_the_one_before_it_gives() -> None:
    assert await (step(double) >> double >> say >> Shout()).run(3) == "IT IS 12"
    assert await Sequential(step(double), step(say)).run(3) == "it is 6"


@pytest.mark.anyio
async def test_a_function_may_stand_first() -> None:
    assert await (double >> step(say)).run(3) == "it is 6"
    assert await (double >> step(say) >> Shout()).run(3) == "IT IS 6"


@pytest.mark.anyio
async def test_what_a_step_raises_comes_out_as_it_is_and_ends_the_sequence() -> None:
    reached: list[int] = []

    def fail(value: int) -> int:
        raise LookupError(value)

    def note(value: int) -> int:
        reached.append(value)
        return value

    with pytest.raises(LookupError, match="6"):
        await (step(double) >> fail >> note).run(3)
    assert reached == []


@pytest.mark.anyio
async def test_none_is_a_value_as_any_other() -> None:
    def nothing(value: int) -> None:
        del value

    def is_nothing(value: None) -> bool:
        return value is None

    assert await (step(nothing) >> step(is_nothing)).run(3) is True
