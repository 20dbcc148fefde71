"""A whole program, run in a fork of the session: it sees the variables, and leaves none."""

from __future__ import annotations

import builtins
import os
import resource
import sys
import traceback
from importlib.util import decode_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn

    from .displays import Displays

__all__ = ["become"]


_RESULTS = "PLANISH_RESULTS_FD"
_SHOW = "_planish_show"  # where the verifier finds it


def become(
    request: dict[str, Any],
    space: dict[str, Any],
    displays: Displays,
    stdin: int,
    results: int | None = None,
) -> NoReturn:
    """Be this program, in this process, until its end.

    Args:
        request: "folder", "main", "args", "env", "memory", "file_bytes", "displays".
        space: The session's variables, which it finds among the builtins.
        displays: Takes what it shows. The verifier gives it the value of the last expression
            of the candidate's code.
        stdin: What it reads.
        results: Where it reports its results; None where it was not to report any.
    """
    code = 1
    try:
        os.dup2(stdin, 0)
        os.close(stdin)
        _surround(request, space)
        displays.write_to(request["displays"])
        setattr(sys, _SHOW, displays.last)
        os.environ.pop(_RESULTS, None)  # a step may have set it
        if results is not None:
            os.set_inheritable(results, False)  # its forks have it, what they exec has not
            os.environ[_RESULTS] = str(results)
        code = _run(request["main"])
        displays.figures()
    finally:
        _end(code)


def _surround(request: dict[str, Any], space: dict[str, Any]) -> None:
    for limit, most in (
        (resource.RLIMIT_AS, request["memory"]),
        (resource.RLIMIT_FSIZE, request["file_bytes"]),
    ):
        soft, hard = resource.getrlimit(limit)
        least = most if soft == resource.RLIM_INFINITY else min(most, soft)
        resource.setrlimit(limit, (least, hard))
    os.chdir(request["folder"])
    os.environ.update(request["env"])
    sys.argv = [request["main"], *request["args"]]
    sys.path[0] = os.path.dirname(os.path.abspath(request["main"]))  # noqa: PTH100, PTH120
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__  # a step may have replaced them
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    for name, value in space.items():
        if type(name) is str and not name.startswith("_") and not hasattr(builtins, name):
            setattr(builtins, name, value)


def _run(main: str) -> int:
    module: ModuleType = type(sys)("__main__")
    module.__file__ = main
    sys.modules["__main__"] = module
    try:
        with open(main, "rb") as file:  # noqa: PTH123
            source = decode_source(file.read())
        code = compile(source, main, "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102  # running code is what this is for
    except SystemExit as end:
        status: Any = end.code
        if status is None or isinstance(status, int):
            return (status or 0) & 0xFF
        print(status, file=sys.stderr)  # noqa: T201  # as CPython does
        return 1
    except BaseException as error:  # noqa: BLE001  # a program may raise what it likes
        frame = error.__traceback__
        traceback.print_exception(type(error), error, frame.tb_next if frame else None)
        return 1
    return 0


def _end(code: int) -> NoReturn:
    """End as an interpreter does: threads, exit functions, streams."""
    import atexit  # noqa: PLC0415
    import threading  # noqa: PLC0415

    try:
        vars(threading)["_shutdown"]()
    except BaseException as error:  # noqa: BLE001  # nothing is above
        _print_ignored(error, threading)
    atexit._run_exitfuncs()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # closed, or replaced
            continue
    os._exit(code)


def _print_ignored(error: BaseException, where: ModuleType) -> None:
    """Print an exception that nothing can handle any more, about as Python does."""
    try:
        sys.stderr.write(f"Exception ignored in: {where!r}\n")
        sys.__excepthook__(type(error), error, error.__traceback__)
    except (AttributeError, OSError, ValueError):  # stderr is closed, or replaced
        return
