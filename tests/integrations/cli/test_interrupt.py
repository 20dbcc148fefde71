"""A signal ends `planish exec` and all it started, whenever it comes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.integrations.cli.conftest import PLANISH

from planish_integrations.cli import main

Start = Callable[..., "subprocess.Popen[bytes]"]

# Whoever runs it can be told from outside by its name, also what it starts.
ENDLESS = """
import ctypes, os, signal, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
ctypes.CDLL(None).prctl(15, b"{name}", 0, 0, 0)
os.fork()
while True:
    time.sleep(1)
"""
pytestmark = pytest.mark.usefixtures("interruptible")
PATIENCE = 30.0
# What `planish` does, and says when it does it.
BEGUN = """
from planish_integrations.cli import main
try:
    print("begun", flush=True)
    main()
except KeyboardInterrupt:
    raise SystemExit(130)
"""


@pytest.fixture
def name(tmp_path: Path) -> str:
    return f"pl{os.getpid()}x{abs(hash(tmp_path)) % 10_000}"


@pytest.fixture
def start(
    environment: dict[str, str], tmp_path: Path, name: str
) -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Starts `planish exec` on a program that never ends, as a shell would."""
    (tmp_path / "endless.py").write_text(ENDLESS.replace("{name}", name))
    started: list[subprocess.Popen[bytes]] = []

    def start(*options: str, command: Sequence[str] = PLANISH) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(
            [*command, "exec", str(tmp_path / "endless.py"), *options],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def _named(name: str) -> list[str]:
    """The processes of this name."""
    found: list[str] = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (folder / "comm").read_text().strip() == name:
                found.append(folder.name)
        except OSError:
            continue
    return found


def _until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_program_and_all_it_started(
    start: Start, name: str, number: signal.Signals
) -> None:
    process = start()
    _until(lambda: len(_named(name)) == 2)
    process.send_signal(number)
    out, error_output = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (128 + number, b"")
    assert error_output.endswith(b"; the program was stopped\n")
    assert _named(name) == []


def test_pressed_again_it_ends_the_same(start: Start, name: str) -> None:
    process = start("--json")
    _until(lambda: len(_named(name)) == 2)
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        time.sleep(0.001)
    out, error_output = process.communicate(timeout=PATIENCE)
    assert (process.returncode, error_output) == (130, b"")
    assert json.loads(out)["error"]["kind"] == "interrupted"
    assert _named(name) == []


@pytest.mark.parametrize("wait", [0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6])
def test_early_on_it_ends_the_same(start: Start, name: str, wait: float) -> None:
    # Before its command has begun, Python itself answers, in ways of its own. With its usual
    # warnings: those of resources are about asyncio, where the signal finds that half made.
    process = start(command=[sys.executable, "-c", BEGUN])
    assert process.stdout
    assert process.stdout.readline() == b"begun\n"
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    _, error_output = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert b"Traceback" not in error_output
    _until(lambda: _named(name) == [])


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("in its place")])
def test_an_interrupt_that_another_error_replaced_is_one(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def run(arguments: Sequence[str]) -> None:
        raise error from KeyboardInterrupt()

    monkeypatch.setattr("planish_integrations.cli._main.run", run)
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit) as ended:
            main(["exec"])
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.value.code == 130


def test_another_error_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(arguments: Sequence[str]) -> None:
        raise RuntimeError("a defect") from ValueError()

    monkeypatch.setattr("planish_integrations.cli._main.run", run)
    with pytest.raises(RuntimeError, match="a defect"):
        main(["exec"])
