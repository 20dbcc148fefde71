"""The judge's end of the line to a process that uses the sandbox."""

import base64
import json
import os
import select
import subprocess
import termios
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.integrations.sandboxes.local.abuse.host import Host

__all__ = ["Driver", "DriverError", "Ended"]

_DRIVER = "tests.integrations.sandboxes.local.abuse.inside.driver"
_TO_START = 120.0  # seconds, for a self-test on a machine that has other work
_TO_ANSWER = 120.0
_DESCRIPTOR = 777  # in use by nothing else; inherited by the driver, which knows nothing of it


class DriverError(AssertionError):
    """The host process has not done what it was asked."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, as the host process saw it.

    Attributes:
        answer: All it said.
        seconds: Since it was asked.
    """

    answer: Mapping[str, Any]
    seconds: float = 0.0
    stdout: bytes = b""
    stderr: bytes = b""
    facts: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def text(self) -> str:
        """All that came out of it by any road."""
        parts = [self.stdout, self.stderr]
        for kept in ("files", "artifacts"):
            for name, content in self.answer.get(kept, {}).items():
                parts += [name.encode("utf-8", "replace"), base64.b64decode(content)]
        parts += [finding.encode() for finding in self.answer.get("findings", ())]
        return b"\n".join(parts).decode("latin-1")

    def __getattr__(self, name: str) -> Any:
        return self.answer.get(name)


def _ended(answer: Mapping[str, Any], seconds: float) -> Ended:
    out, err = (base64.b64decode(answer.get(name, "")) for name in ("stdout", "stderr"))
    lines = out.split(b"\n")[:-1]  # whatever follows the last newline was cut off
    facts = [json.loads(line) for line in lines if line.startswith(b'{"')]
    return Ended(answer, seconds, out, err, tuple(facts))


class Driver:
    """A process of the user's that runs programs: in a tier of the sandbox, or naively.

    Args:
        host: Whose.
        mode: A tier; "any", for the strongest that works; or "naive".
        forbidden: What the kernel is to refuse it: "namespaces", "landlock".

    Raises:
        DriverError: it could not start, in its own words.
    """

    def __init__(self, host: Host, mode: str, forbidden: str = "") -> None:
        self.mode = mode
        self._held = b""
        self._answers: dict[int, Mapping[str, Any]] = {}
        self._asked: dict[int, float] = {}
        self._last = 0
        self.terminal, self._ours = os.openpty()
        with (host.home / "descriptor.txt").open("rb") as inherited:
            os.dup2(inherited.fileno(), _DESCRIPTOR, inheritable=True)
        try:
            self._process = host.spawn(
                "-m",
                _DRIVER,
                mode,
                str(self._ours),
                f"driver-{host.token}",
                env=host.environment | {"FORBID": forbidden},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                pass_fds=(_DESCRIPTOR, self._ours),
                apart=mode == "naive",
            )
        finally:
            os.close(_DESCRIPTOR)
        self.pid = self._process.pid
        ready = self._line(_TO_START)
        if "ready" not in ready:
            self.close()
            raise DriverError(f"{ready.get('error')}: {ready.get('message')}")

    def ask(self, op: str, **request: Any) -> int:
        """Send a request; gives its number."""
        self._last += 1
        line = json.dumps({"id": self._last, "op": op, **request}).encode() + b"\n"
        assert self._process.stdin is not None
        self._asked[self._last] = time.monotonic()
        self._process.stdin.write(line)
        self._process.stdin.flush()
        return self._last

    def answer(self, number: int, patience: float = _TO_ANSWER) -> Ended:
        """Wait for the answer to a request.

        Raises:
            DriverError: the host process is gone, or says nothing.
        """
        while number not in self._answers:
            line = self._line(patience)
            self._answers[int(line["id"])] = line
        seconds = time.monotonic() - self._asked.pop(number)
        return _ended(self._answers.pop(number), seconds)

    def _line(self, patience: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        descriptor, deadline = self._process.stdout.fileno(), time.monotonic() + patience
        while b"\n" not in self._held:
            left = max(0.0, deadline - time.monotonic())
            if not select.select([descriptor], [], [], left)[0]:
                raise DriverError(f"no answer in {patience} s ({self.mode})")
            data = os.read(descriptor, 1 << 20)
            if not data:
                raise DriverError(f"the host process has ended ({self._process.wait()})")
            self._held += data
        line, _, self._held = self._held.partition(b"\n")
        value: dict[str, Any] = json.loads(line)
        return value

    def typed(self) -> bytes:
        """What stands in its terminal's input, where nobody has typed."""
        termios.tcsetattr(self._ours, termios.TCSANOW, _raw(termios.tcgetattr(self._ours)))
        os.set_blocking(self._ours, False)
        try:
            return os.read(self._ours, 4096)
        except BlockingIOError:
            return b""

    def kill(self) -> None:
        """As the kernel does for lack of memory: without a word."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it, and wait for that."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        for descriptor in (self.terminal, self._ours):
            os.close(descriptor)


def _raw(attributes: list[Any]) -> list[Any]:
    attributes[3] &= ~(termios.ICANON | termios.ECHO)
    return attributes
