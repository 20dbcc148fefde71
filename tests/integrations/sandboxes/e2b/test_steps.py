"""What a step of a session says of itself, and what a session refuses while it is paused."""

import time

import pytest
from tests.integrations.sandboxes.e2b.support import connected

from planish.errors import SandboxError
from planish_integrations.testing.e2b import LoopbackE2B

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("internet", [False, True])
async def test_a_step_says_where_and_how_it_ran(server: LoopbackE2B, *, internet: bool) -> None:
    sandbox = connected(server, internet=internet, env={"OWN": "it's"})
    begun = time.monotonic()
    async with sandbox.session() as session:
        done = await session.run(
            "import os, sys\nsys.stderr.write('err')\nprint(os.environ['OWN'])"
        )
        failed = await session.run("print('before')\nraise KeyError('why')")
    assert (done.exit_code, done.limit, done.signal) == (0, None, None)
    assert (done.stdout, done.stderr) == (b"it's\n", b"err")
    assert 0 < done.duration <= time.monotonic() - begun
    assert (done.isolation, done.sandbox_id) == ("microvm", session.sandbox_id)
    usual = {"cpu", "environment", "files", "ipc", "output", "writes"}
    assert list(done.guarantees) == sorted(usual if internet else usual | {"network"})
    assert (failed.exit_code, failed.stdout, failed.displays) == (1, b"before\n", ())
    assert b"KeyError: 'why'" in failed.stderr
    assert b"\x1b[" not in failed.stderr
    assert session.name == "e2b"
    assert repr(session) == f"E2BSession(sandbox_id={session.sandbox_id!r})"


async def test_a_step_that_is_stopped_has_no_exit_code(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.run("x = 1")
        done = await session.run(
            "print('begun', flush=True)\nimport time; time.sleep(60)", seconds=1
        )
        after = await session.run("'x' in globals()")
    assert (done.exit_code, done.limit, done.stdout) == (None, "seconds", b"begun\n")
    assert 1 <= done.duration < 30
    assert after.displays[0].text == "False"


async def test_a_flood_on_the_error_stream_is_stopped_too(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        # In pieces: unless it is flushed, the kernel gathers for seconds and sends 40 MB at once.
        flood = "import sys\nwhile True: sys.stderr.write('x' * 10_000); sys.stderr.flush()"
        done = await session.run(flood)
        fits = await session.run("print('x' * 999_999)")
    assert (done.limit, done.exit_code, len(done.stderr)) == ("output_bytes", None, 1_000_000)
    assert (fits.limit, fits.exit_code, len(fits.stdout)) == (None, 0, 1_000_000)


async def test_a_paused_session_refuses_all_but_to_go_on(server: LoopbackE2B) -> None:
    async with connected(server, lifetime=300).session() as session:
        await session.write("file", b"content")
        await session.pause()
        for refused in (
            session.run("1"),
            session.variables(),
            session.read("file"),
            session.write("file", b""),
        ):
            with pytest.raises(SandboxError, match="is paused: resume"):
                await refused
        before = server.calls.get("timeout", 0)
        await session.resume()
        assert await session.read("file") == b"content"
        assert (await session.run("1", seconds=30)).ok
        assert server.calls.get("timeout", 0) == before  # it has its whole life again
        assert not await session.variables()


async def test_shapes_and_kinds_of_variables_are_listed(server: LoopbackE2B) -> None:
    async with connected(server).session() as session:
        await session.run("a = (1, 2)\nb = 1.5\nc = {}\nimport math")
        found = await session.variables()
    assert [(one.name, one.type, one.shape, one.preview) for one in found] == [
        ("a", "tuple", (2,), "(1, 2)"),
        ("b", "float", None, "1.5"),
        ("c", "dict", (0,), "{}"),
    ]
