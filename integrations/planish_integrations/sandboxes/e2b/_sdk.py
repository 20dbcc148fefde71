"""Types for the part of E2B's SDK that is used; the SDK publishes none."""
# ruff: noqa: ASYNC109  # its names

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

from planish.errors import UnsupportedError

__all__ = [
    "Command",
    "Context",
    "Execution",
    "Result",
    "Sdk",
    "SdkClass",
    "TooLargeError",
    "exit_code",
    "kill_all",
    "the_sdk",
]

_RESPONSE_BYTES = 128 << 20  # of one step; what it may print and display stays well below

Context = object
"""A context of the code interpreter, handed back as it came."""


class Files(Protocol):
    """A sandbox's files."""

    async def write(self, path: str, data: bytes) -> object: ...
    async def read(self, path: str, format: str) -> bytearray: ...  # noqa: A002  # its name
    async def remove(self, path: str) -> None: ...


class Command(Protocol):
    """A running command."""

    async def wait(self) -> object: ...


class Commands(Protocol):
    """A sandbox's commands."""

    async def run(
        self,
        cmd: str,
        *,
        background: bool,
        on_stdout: Callable[[str], None],
        timeout: float,
        request_timeout: float,
    ) -> Command: ...


class Chart(Protocol):
    """A chart's numbers."""

    def to_dict(self) -> dict[str, Any]: ...


class Result(Protocol):
    """One display or value. Its other forms are read by their names."""

    is_main_result: bool
    chart: Chart | None
    extra: Mapping[str, Any] | None


class SdkError(Protocol):
    """The exception of a cell."""

    name: str
    value: str
    traceback: str


class Execution(Protocol):
    """The outcome of a cell."""

    results: list[Result]
    error: SdkError | None
    execution_count: int | None


class Sdk(Protocol):
    """One sandbox."""

    @property
    def sandbox_id(self) -> str: ...
    @property
    def traffic_access_token(self) -> str | None: ...
    @property
    def files(self) -> Files: ...
    @property
    def commands(self) -> Commands: ...

    async def is_running(self) -> bool: ...
    async def set_timeout(self, timeout: int) -> None: ...
    async def kill(self) -> bool: ...
    async def pause(self) -> bool: ...
    async def connect(self, timeout: int) -> object: ...
    async def create_code_context(self) -> Context: ...
    async def remove_code_context(self, context: Context) -> None: ...
    async def run_code(
        self,
        code: str,
        *,
        context: Context,
        on_stdout: Callable[[Any], None],
        on_stderr: Callable[[Any], None],
        on_result: Callable[[Any], None],
        timeout: float,
    ) -> Execution: ...


class Listed(Protocol):
    """One sandbox of a list."""

    sandbox_id: str


class Pages(Protocol):
    """A list of sandboxes, page by page."""

    @property
    def has_next(self) -> bool: ...
    async def next_items(self) -> list[Listed]: ...


class SdkClass(Protocol):
    """The class of sandboxes."""

    def create(self, template: str | None, **options: Any) -> Awaitable[Sdk]: ...
    def list(self, **options: Any) -> Pages: ...
    def kill(self, sandbox_id: str, **options: Any) -> Awaitable[bool]: ...


async def exit_code(command: Command) -> int | None:
    """Wait for a command's end; None where the SDK does not say how it ended.

    Raises:
        Exception: what the SDK raises where the sandbox is gone or its stream was cut off.
    """
    from e2b import CommandExitException  # noqa: PLC0415  # loaded by now

    try:
        await command.wait()
    except CommandExitException as error:
        return int(error.exit_code)
    return 0


async def kill_all(
    metadata: Mapping[str, str], connection: Mapping[str, Any], on_kill: Callable[[str], None]
) -> None:
    """Kill all sandboxes that were created with the metadata.

    Args:
        metadata: As given to `create`.
        connection: Arguments of every call of the control plane.
        on_kill: Called with the id of each that was killed.
    """
    from e2b import SandboxQuery  # noqa: PLC0415  # loaded by now

    sdk = the_sdk()
    pages = sdk.list(query=SandboxQuery(metadata=dict(metadata)), **connection)
    while pages.has_next:
        for found in await pages.next_items():
            if await sdk.kill(found.sandbox_id, **connection):
                on_kill(found.sandbox_id)


def the_sdk() -> SdkClass:
    """Return the SDK's class of sandboxes.

    Raises:
        UnsupportedError: the SDK is not installed.
    """
    try:
        module: Any = import_module("e2b_code_interpreter")  # here: it is slow to load
    except ModuleNotFoundError as error:
        raise UnsupportedError(
            f"E2BSandbox needs E2B's SDK, and there is no {error.name!r}: "
            "install planish with its extra e2b"
        ) from None
    return _bounded_class(module.AsyncSandbox)


class TooLargeError(Exception):
    """A response of the code interpreter is larger than any that a step may cause."""


class _BoundedBody:
    """The body of a response, up to a number of bytes.

    Raises:
        TooLargeError: while it is read, at the limit.
    """

    def __init__(self, body: Any) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = _RESPONSE_BYTES
        async for piece in self._body:
            left -= len(piece)
            if left < 0:
                raise TooLargeError
            yield piece

    async def aclose(self) -> None:
        await self._body.aclose()


@cache
def _bounded_class(base: Any) -> SdkClass:
    """Return the SDK's class with bounded responses of the code interpreter.

    The SDK collects each line of a response whole, and one display is one line.
    """
    from httpx import AsyncByteStream  # noqa: PLC0415  # loaded by now

    class Body(_BoundedBody, AsyncByteStream):
        pass

    async def bound(response: Any) -> None:
        response.stream = Body(response.stream)

    def client(sandbox: Any) -> Any:
        """Return the HTTP client for the code interpreter, with bounded responses."""
        found: Any = base._client.fget(sandbox)  # noqa: SLF001  # the SDK shows it nowhere else
        found.event_hooks["response"].append(bound)
        return found

    bounded: Any = type(base.__name__, (base,), {"_client": property(client)})
    return cast("SdkClass", bounded)
