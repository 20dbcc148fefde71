"""A sandbox can be sent to another process; a key that was passed as a value cannot."""
# The key that a copy reads is private.
# pyright: reportPrivateUsage=false

import pickle
import sys

import pytest

from planish.data import Program
from planish.errors import AuthenticationError
from planish_integrations.e2b import E2BSandbox
from planish_integrations.local import LocalSandbox
from planish_integrations.sandboxes.unsafe import UnsafeLocalSandbox

KEY = "e2b_CANARY0123456789"
PROGRAM = Program(main="main.py", files={"main.py": b"print(6 * 7)"})


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform != "linux", reason="LocalSandbox needs Linux")
async def test_a_copy_of_a_sandbox_in_use_runs_programs() -> None:
    async with LocalSandbox() as used:
        assert (await used.run(PROGRAM)).stdout == b"42\n"
        copy: LocalSandbox = pickle.loads(pickle.dumps(used))  # noqa: S301  # our own bytes
        assert repr(copy) == repr(used)
        async with copy:
            assert (await copy.run(PROGRAM)).stdout == b"42\n"


@pytest.mark.anyio
async def test_so_does_a_copy_of_an_unsafe_one() -> None:
    sent = pickle.dumps(UnsafeLocalSandbox())
    copy: UnsafeLocalSandbox = pickle.loads(sent)  # noqa: S301  # our own bytes
    assert (await copy.run(PROGRAM)).stdout == b"42\n"


def test_a_key_that_was_passed_is_not_pickled() -> None:
    with pytest.raises(TypeError, match="set E2B_API_KEY in the environment") as caught:
        pickle.dumps(E2BSandbox(api_key=KEY))
    assert "CANARY" not in str(caught.value)


def test_a_key_of_the_environment_travels_as_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("E2B_API_KEY", KEY)
    sandbox = E2BSandbox(retries=0)
    assert sandbox._settings.key == KEY  # it has been read, and must not be kept
    sent = pickle.dumps(sandbox)
    assert b"CANARY" not in sent
    monkeypatch.setenv("E2B_API_KEY", "e2b_of_the_other_machine")
    copy: E2BSandbox = pickle.loads(sent)  # noqa: S301  # our own bytes
    assert copy._settings.key == "e2b_of_the_other_machine"
    assert repr(copy) == repr(sandbox)
    monkeypatch.delenv("E2B_API_KEY")
    other: E2BSandbox = pickle.loads(sent)  # noqa: S301  # our own bytes
    with pytest.raises(AuthenticationError, match="E2B_API_KEY"):
        assert other._settings.key
