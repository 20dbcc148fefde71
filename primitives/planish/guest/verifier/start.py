"""Read the plan, run the candidate and its tests, and end the process."""

from __future__ import annotations

import marshal
import sys
from os import _exit, fstat, unlink

from .channel import channel, granted
from .failure import Witness
from .guard import is_a, signals
from .namespace import load
from .place import home, lay_out_files
from .render import strip
from .sources import SOURCES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .channel import Put
    from .fork_candidate import Apart
    from .judge import Judge

__all__ = ["start"]

_PLAN = "plan.bin"
_ASKING = ("isinstance", "issubclass", "IsInstance")
_IDENTITIES = (" id(", "(id(", "{id(", "[id(", "(id,", ", id)")
_FRAMES = 10  # of the verifier, below the candidate's: its own recursion gets all that is usual


def start() -> None:
    """Read the plan, run what it says, and end the process."""
    home()  # found now, before the candidate can change to another folder
    descriptor = granted()
    streams: Any = (sys.stdout, sys.stderr)
    for stream in streams:  # so that what was printed before a kill is known
        if stream is not None:  # it is where the sandbox gives no stdout
            stream.reconfigure(line_buffering=True)
    apart = _parted(descriptor)
    secret, plan = _plan()
    put = channel(apart.results if apart else descriptor, f"{home()}/{plan['results']}", secret)
    secret[:] = bytes(len(secret))  # what is only freed stays in memory
    sys.argv = ["solution.py", *sys.argv[1:]]
    sys.setrecursionlimit(sys.getrecursionlimit() + _FRAMES)
    witness = Witness(put, plan["candidate"], plan["test_file"], plan["offset"])
    if apart is None and home() not in sys.path:
        sys.path.insert(0, home())
    if plan["together"]:
        _together(plan, put, witness)
        _flush((*streams, sys.stdout, sys.stderr))
        _exit(0 if witness.clean else 1)
    if apart is None:
        put("start", seconds=plan["seconds"], why="")
        _run_script(plan, put, witness)
        return
    _judge(plan, apart, put, witness, lambda: _flush((*streams, sys.stdout, sys.stderr)))
    _flush((*streams, sys.stdout, sys.stderr))
    # Threads are not waited for: what they do no longer matters to any test.
    _exit(0 if witness.clean else 1)


def _run_script(plan: dict[str, Any], put: Put, witness: Witness) -> None:
    """Run preamble and candidate, and end as Python does.

    Threads are waited for, a traceback goes to standard error, an exit code is passed on.

    Args:
        plan: See `load`.
        put: Where results go.
        witness: Called with what the program raises.
    """
    raised = load(plan)[1]
    if raised is None or is_a(raised, SystemExit):
        if raised is not None and plan["candidate"] not in SOURCES:
            witness.raised(raised)  # the preamble exited: no line of the code has run
        put("end")
    else:
        witness.raised(raised)
        put("end")
        trace = strip(raised.__traceback__)
        sys.excepthook(type(raised), raised.with_traceback(trace), trace)
        sys.exit(1)
    if raised is not None:
        raise raised


def _judge(
    plan: dict[str, Any], apart: Apart, put: Put, witness: Witness, flush: Callable[[], None]
) -> None:
    """Have the candidate run and tested; write all that is found."""
    from . import link  # noqa: PLC0415
    from .evidence import Evidence  # noqa: PLC0415  # these are where there are tests
    from .judge import Judge  # noqa: PLC0415
    from .watch import watch  # noqa: PLC0415

    # Nothing is imported from where the candidate can write.
    sys.path[:] = [place for place in sys.path if place not in ("", ".", home())]
    evidence = Evidence(put)
    if "inputs" in plan:
        from .inputs import watch_inputs  # noqa: PLC0415  # few tasks have files

        watch_inputs(plan["inputs"], evidence.weakened)
    judge = Judge(apart.pipe, plan, flush, evidence)
    _note_interrupts(evidence.weakened)
    text = str(plan.get("tests"))
    link.ASKED += [text] if any(word in text for word in _ASKING) else []
    link.KEPT += [True] if any(word in text for word in _IDENTITIES) else []
    pipe = apart.pipe
    pipe.limit(
        plan["seconds"], lambda: put("timeout", at=witness.own_line(pipe.stack()))
    )  # fmt: skip
    put("start", seconds=plan["seconds"], why=apart.why_not(sys.path))
    texts = plan.get("tests", "")
    watch(judge.evidence.weakened, (texts,) if type(texts) is str else texts.values())
    _test(plan, judge, put, witness)
    if plan["name"] == "__main__":
        _at_exit()
        judge.at_exit()
    packages = judge.packages()
    judge.stop()
    put("packages", names=" ".join(packages))
    put("end")


def _note_interrupts(weakened: Callable[[str], None]) -> None:
    """Put on record when this process is interrupted: the candidate can send it the signal.

    A function of the tests that the candidate has called would end before it has failed.
    """
    signal = signals()

    def interrupted(_number: int, _frame: Any) -> None:
        weakened("the tests were interrupted by a signal, which the code can send")
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)


def _together(plan: dict[str, Any], put: Put, witness: Witness) -> None:
    """Run candidate and tests in this process: some tests look at what is in one process only."""
    from .shared_process import NoticedUses, Together  # noqa: PLC0415  # few tests need them

    put("start", seconds=plan["seconds"], why=plan["together"])
    lay_out_files()
    judge: Any = Together(plan, NoticedUses(put, plan))
    _test(plan, judge, put, witness)
    if plan["name"] == "__main__":
        _at_exit()
    put("packages", names=" ".join(judge.packages()))
    put("end")


def _parted(descriptor: int | None) -> Apart | None:
    """Fork the candidate's process; return None if there are no tests to protect."""
    try:
        from .fork_candidate import part  # noqa: PLC0415  # it is where it is needed
    except ImportError:
        return None
    return part(descriptor)


def _plan() -> tuple[bytearray, dict[str, Any]]:
    """Read the secret and the plan, and delete their file before the candidate runs."""
    with open(_PLAN, "rb", buffering=0) as file:  # noqa: PTH123  # pathlib costs 10 ms
        data = bytearray(fstat(file.fileno()).st_size)
        file.readinto(data)
    unlink(_PLAN)  # noqa: PTH108
    size = data.index(b"\n")
    secret = data[:size]
    data[:size] = bytes(size)  # it is to be in one place only
    plan: dict[str, Any] = marshal.loads(memoryview(data)[size + 1 :])  # noqa: S302  # the host wrote it
    version, compiled = plan.pop("compiled", ("", b""))
    # Unpacked before `watch`, which reports code that is unpacked later.
    plan["test_code"] = marshal.loads(compiled) if compiled and version == sys.version else None  # noqa: S302
    return secret, plan


def _test(plan: dict[str, Any], judge: Judge, put: Put, witness: Witness) -> None:
    """Run the tests, and record what ends their runner."""
    try:
        _run_tests(plan, judge, put, witness)
    except BaseException as error:  # noqa: BLE001  # what stops a test runner
        put("setup", **witness.raised(error))  # or its teardown: what follows has not run


def _run_tests(plan: dict[str, Any], judge: Judge, put: Put, witness: Witness) -> None:
    # Of the ways of testing only the one that is taken is there to be imported.
    if plan["mode"] == "pytest":
        from .pytests import run_pytest  # noqa: PLC0415

        run_pytest(plan, judge, put, witness)
        return
    raised = judge.load()
    witness.loaded = raised is None
    if raised is not None:
        witness.loading = True  # no statement of the tests has run
        witness.raised(raised)
    elif plan["mode"] == "cases":
        from .cases import run_cases  # noqa: PLC0415

        run_cases(plan, judge, put, witness)
    else:
        from .checks import run_checks  # noqa: PLC0415

        run_checks(plan, judge, put, witness)


def _at_exit() -> None:
    import atexit  # noqa: PLC0415

    try:
        # What the interpreter calls at its end.
        atexit._run_exitfuncs()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    except BaseException:  # noqa: BLE001  # printed already, and of no interest to any test
        return


def _flush(streams: Sequence[Any]) -> None:
    for stream in streams:
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # closed, or replaced by something else
            continue
