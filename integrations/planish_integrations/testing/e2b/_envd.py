"""envd of a loopback sandbox: processes, by the server classes of E2B's own SDK."""

import signal
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Literal

import anyio
from anyio.abc import ObjectReceiveStream, ObjectSendStream
from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.request import RequestContext
from e2b.envd.process import process_pb as pb
from e2b.envd.process.process_connect import Process as ProcessService
from protobuf import Oneof

from ._faults import Faults
from ._machine import HOME, Machine
from ._processes import Descriptor, Process, read_some

__all__ = ["Processes"]

_Data = pb.ProcessEvent.DataEvent
_Start = RequestContext[pb.StartRequest, pb.StartResponse]


class Processes(ProcessService):
    """The process service of one sandbox."""

    def __init__(self, machine: Machine, faults: Faults) -> None:
        self._machine = machine
        self._faults = faults

    async def start(
        self, request: pb.StartRequest, _ctx: _Start
    ) -> AsyncIterator[pb.StartResponse]:
        """Start a process; yield its output and its end."""
        config = request.process or pb.ProcessConfig()
        stdin = not request.has_field("stdin") or request.stdin
        cwd = config.cwd if config.has_field("cwd") else HOME
        try:
            process = self._machine.spawn(
                [config.cmd, *config.args], cwd, dict(config.envs), stdin=stdin
            )
        except FileNotFoundError as error:
            if self._machine.ended.is_set():
                raise ConnectError(Code.UNAVAILABLE, "the sandbox was not found") from None
            raise ConnectError(Code.INVALID_ARGUMENT, f"cwd '{error}' does not exist") from None
        async with aclosing(self._events(process)) as events:
            async for event in events:
                yield pb.StartResponse(event=event)

    async def _events(self, process: Process) -> AsyncGenerator[pb.ProcessEvent, None]:
        cut, sent = self._faults.cut("command"), 0
        started = pb.ProcessEvent.StartEvent(pid=process.pid)
        yield _event(started)
        async with self._output(process) as output:
            async for data in output:
                if sent == cut:
                    return
                sent += 1
                yield _event(data)
        await process.ended.wait()
        if self._machine.ended.is_set():
            raise ConnectError(Code.UNAVAILABLE, "the sandbox was not found")
        if sent == cut:
            return
        word, _, number = process.status.partition(" ")
        end = pb.ProcessEvent.EndEvent(
            exit_code=int(number) if word == "exit" else -1,
            exited=word == "exit",
            status=process.status,
        )
        yield _event(end)

    def _output(self, process: Process) -> ObjectReceiveStream[_Data]:
        """Return a stream of the process's output, which is discarded after the client has left."""
        send, receive = anyio.create_memory_object_stream[_Data](0)
        pipes = {"stdout": process.stdout, "stderr": process.stderr}
        for name, pipe in pipes.items():
            self._machine.tasks.start_soon(_pump, name, pipe, send.clone())
        send.close()
        return receive

    async def list(
        self, _request: pb.ListRequest, _ctx: RequestContext[pb.ListRequest, pb.ListResponse]
    ) -> pb.ListResponse:
        """Return all processes."""
        found = [
            pb.ProcessInfo(
                pid=one.pid,
                config=pb.ProcessConfig(cmd=one.command[0], args=[*one.command[1:]]),
            )
            for one in self._machine.processes
        ]
        return pb.ListResponse(processes=found)

    async def send_input(
        self,
        request: pb.SendInputRequest,
        _ctx: RequestContext[pb.SendInputRequest, pb.SendInputResponse],
    ) -> pb.SendInputResponse:
        """Write to a process's standard input."""
        process = self._find(request.process)
        data = request.input.input if request.input is not None else None
        if isinstance(data, Oneof) and data.field == "stdin":
            await process.write(data.value)
        return pb.SendInputResponse()

    async def close_stdin(
        self,
        request: pb.CloseStdinRequest,
        _ctx: RequestContext[pb.CloseStdinRequest, pb.CloseStdinResponse],
    ) -> pb.CloseStdinResponse:
        """Close a process's standard input."""
        self._find(request.process).close_stdin()
        return pb.CloseStdinResponse()

    async def send_signal(
        self,
        request: pb.SendSignalRequest,
        _ctx: RequestContext[pb.SendSignalRequest, pb.SendSignalResponse],
    ) -> pb.SendSignalResponse:
        """Send a signal to a process; SIGKILL kills its descendants too."""
        process = self._find(request.process)
        if request.signal == pb.Signal.SIGKILL:
            process.kill()
        else:
            process.signal(signal.SIGTERM)
        return pb.SendSignalResponse()

    def _find(self, selector: pb.ProcessSelector | None) -> Process:
        selected = selector.selector if selector is not None else None
        for process in self._machine.processes:
            if isinstance(selected, Oneof) and process.pid == selected.value:
                return process
        raise ConnectError(Code.NOT_FOUND, "process was not found")


# The type arguments are explicit because mypy does not infer the literal type of the first one.
def _event(value: pb.ProcessEvent.StartEvent | _Data | pb.ProcessEvent.EndEvent) -> pb.ProcessEvent:
    match value:
        case pb.ProcessEvent.StartEvent():
            return pb.ProcessEvent(
                event=Oneof[Literal["start"], pb.ProcessEvent.StartEvent]("start", value)
            )
        case _Data():
            return pb.ProcessEvent(event=Oneof[Literal["data"], _Data]("data", value))
        case _:
            return pb.ProcessEvent(
                event=Oneof[Literal["end"], pb.ProcessEvent.EndEvent]("end", value)
            )


def _data(name: str, data: bytes) -> _Data:
    if name == "stdout":
        return _Data(output=Oneof[Literal["stdout"], bytes]("stdout", data))
    return _Data(output=Oneof[Literal["stderr"], bytes]("stderr", data))


async def _pump(name: str, pipe: Descriptor, send: ObjectSendStream[_Data]) -> None:
    async with send:
        while data := await read_some(pipe):
            with suppress(anyio.BrokenResourceError):
                await send.send(_data(name, data))
