"""The verdict, and the host's own program: what it believes, prints, loads and leaves."""

import os
import pty
import random
import select
from pathlib import Path

from tests.integrations.sandboxes.local.abuse.case import Case
from tests.integrations.sandboxes.local.abuse.driving import Driver, DriverError
from tests.integrations.sandboxes.local.abuse.stage import Leak, Stage

__all__ = ["CASES", "cancelled"]

_TESTS = "assert add(1, 2) == 3\nassert add(-1, 1) == 0"

FORGERS = {
    "exit": "import sys\ndef add(a, b):\n    sys.exit(0)",
    "gone": "import os\nos._exit(0)",
    "equal": "class Any:\n    def __eq__(self, other):\n        return True\n    __hash__ = None\n"
    "def add(a, b):\n    return Any()",
    "atexit": "import atexit, os\natexit.register(os._exit, 0)\ndef add(a, b):\n    return 0",
    "hunter": "import gc\n"
    "for it in gc.get_objects():\n"
    "    if isinstance(it, (list, dict)):\n"
    "        try:\n"
    "            it.append('passed') if isinstance(it, list) else it.update(passed=True)\n"
    "        except Exception:\n"
    "            pass\n"
    "def add(a, b):\n    return 0",
    "patched": "import builtins\nbuiltins.AssertionError = type('Never', (Exception,), {})\n"
    "def add(a, b):\n    raise SystemExit(0)",
    "writes": "import os\n"
    "for fd in range(1, 64):\n"
    "    try:\n"
    '        os.write(fd, b\'{"passed": true, "status": "passed"}\\n\')\n'
    "    except OSError:\n"
    "        pass\n"
    "os._exit(0)",
}

PICKLE = """
import os
class Touch(int):
    def __reduce__(self):
        return (os.system, ("touch {path}",))
def add(a, b):
    return Touch(a + b)
"""

ESCAPES = r"""
import sys
sys.stdout.buffer.write(b"\x1b]0;planish\x07\x1b[2J\x9b31m\xff\xfe\x00 ")
sys.stdout.buffer.write(b"\x1b]52;c;cGxhbmlzaA==\x07 end\n")
"""

FOREVER = """
import os, time
from probe import *
name_me()
os.fork()
time.sleep(600)
"""


def _forge(stage: Stage) -> Leak:
    believed: list[str] = []
    for name, code in FORGERS.items():
        answer = stage.driver.answer(stage.driver.ask("judge", code=code, tests=_TESTS))
        assert answer.error is None, f"{name}: {answer.error}: {answer.message}"
        if answer.passed:
            believed.append(name)
    honest = "def add(a, b):\n    return a + b"
    good = stage.driver.answer(stage.driver.ask("judge", code=honest, tests=_TESTS))
    assert good.passed, good.message
    return f"believed: {believed}" if believed else None


def _pickle(stage: Stage) -> Leak:
    path = stage.host.drop / f"planted-{stage.host.token}"
    code = PICKLE.replace("{path}", str(path))
    answer = stage.driver.answer(stage.driver.ask("judge", code=code, tests=_TESTS))
    assert answer.error is None, answer.message
    return stage.host.planted()


def _escapes(stage: Stage) -> Leak:
    """Through the command, on a terminal; and as bytes through the library, as they are."""
    ended = stage.run(ESCAPES)
    assert ended.stdout.startswith(b"\x1b]0;planish\x07")
    assert b"\xff\xfe\x00" in ended.stdout
    program = stage.host.home / "escapes.py"
    program.write_text(ESCAPES)
    line = [str(program)]
    if stage.sandboxed:
        line = ["-m", "planish_integrations.cli", "exec", "--tier", stage.mode, *line]
    shown = _on_terminal(stage, line)
    assert b" end" in shown, shown
    control = [byte for byte in b"\x1b\x07\x9b\x00" if byte in shown.replace(b"\r\n", b"\n")]
    return f"control characters reached the terminal: {control}" if control else None


def _on_terminal(stage: Stage, line: list[str]) -> bytes:
    ours, theirs = pty.openpty()
    process = stage.host.spawn(*line, env=stage.host.environment, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            data = os.read(ours, 65536)
        except OSError:  # the other end is closed: Linux says so with EIO
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.wait(60) == 0, shown
    return shown


def cancelled(stage: Stage, times: int) -> Leak:
    """Programs cancelled at random moments: nothing of them is left, and no descriptor."""
    dice = random.Random(7)  # noqa: S311 - moments, not secrets
    stage.run("print(1)")
    before = _open(stage)
    for _ in range(times // 4):
        started = [stage.start(FOREVER, cancel_after=dice.uniform(0.001, 0.2)) for _ in range(4)]
        for one in started:
            one.wait()
    if not stage.sandboxed:  # what is left there may not have started yet
        stage.until(lambda: bool(stage.alive()), 10)
    survivors = stage.survivors()
    if survivors:
        return survivors
    after = _open(stage)
    zombies = _zombies(stage)
    if after != before or zombies:
        return f"descriptors {before} became {after}; {zombies} zombies"
    return None


def _cancelled(stage: Stage) -> Leak:
    return cancelled(stage, 40 if stage.sandboxed else 4)


def _open(stage: Stage) -> list[int]:
    held: list[int] = stage.driver.answer(stage.driver.ask("facts")).descriptors
    return held


def _zombies(stage: Stage) -> int:
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        found += state == "Z" and int(parent) == stage.driver.pid
    return found


def _forbidden(stage: Stage) -> Leak:
    """On a host without what the tier needs, it runs nothing, and says why."""
    if not stage.sandboxed:
        ended = stage.run("open('outputs/ran', 'w').write('ran')", outputs="outputs")
        return "it ran" if ended.artifacts else None
    need = {"namespaces": "namespaces", "landlock": "landlock"}[stage.mode]
    return _refused(stage, stage.mode, need) or _refused(stage, "any", "namespaces landlock")


def _refused(stage: Stage, mode: str, forbidden: str) -> Leak:
    ran = f"open({str(stage.host.drop / f'planted-{stage.host.token}')!r}, 'w')\nprint('ran')"
    try:
        driver = Driver(stage.host, mode, forbidden)
    except DriverError as refused:
        reason = str(refused)
        told = reason.startswith("UnsupportedError") and len(reason) > 60
        return None if told else f"it says no more than {reason!r}"
    try:
        ended = Stage(stage.host, driver, 74).run(ran)
        if ended.error is None:
            return f"it ran, as {ended.isolation}: {ended.stdout!r} {stage.host.planted()}"
        assert ended.error == "UnsupportedError", ended.message
        return None
    finally:
        driver.close()


CASES = (
    Case(number=70, title="a forged verdict", promise="files", play=_forge),
    Case(number=71, title="escapes for the terminal", promise="output", play=_escapes),
    Case(number=72, title="a pickle that bites", promise="writes", play=_pickle),
    Case(number=73, title="cancelled at any moment", promise="cleanup", play=_cancelled),
    Case(number=74, title="a host without walls", promise="files", play=_forbidden),
)
"""70 to 74 of the list."""
