"""Run a Python file in a forked interpreter as `python main.py` runs it."""
# ruff: noqa: PTH109, PTH120, T201  # pathlib is slow; what it prints is CPython's

import _random
import atexit
import gc
import os
import random
import sys
import threading
import types
from importlib.machinery import SourceFileLoader

from ..supervisor.descriptors import input_file  # noqa: TID252  # beside us, in both interpreters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Known = dict[bytes, types.CodeType]

__all__ = [
    "Program",
    "compile_main",
    "end",
    "finish_fork",
    "prepare",
    "read_from_pipe",
    "report_exception",
]

_GUEST = "planish_guest"
_own_modules: "dict[str, types.ModuleType]" = {}  # taken out of `sys.modules`
_streams: "dict[str, Any]" = {}  # by name; stdin for a file and for a pipe
_PIPED = "piped stdin"
_BROKEN_PIPE = 120  # what CPython exits with when its last output could not be written
_INTERRUPTED = 2  # SIGINT
_WARM = 20  # calls after which CPython 3.11 has specialised a function


class Program:
    """A compiled program: its code, and the names of its `__main__`."""

    __slots__ = ("code", "names")

    def __init__(self, code: types.CodeType, names: "dict[str, Any]") -> None:
        self.code = code
        self.names = names


def prepare() -> None:
    """In the template process, when all is imported: become what a fresh interpreter is.

    The guest's modules are taken out of `sys.modules`: none can be imported from here on.
    """
    _make_streams()
    for name in ("stdin", "stdout", "stderr"):
        _set_stream(name, _streams[name])
    for name in [name for name in sys.modules if name.partition(".")[0] == _GUEST]:
        _own_modules[name] = sys.modules.pop(name)
    sys.path_importer_cache.pop(os.path.dirname(__file__), None)
    main = types.ModuleType("__main__")
    if sys.version_info < (3, 14):  # from then on they are made when the program has some
        main.__annotations__ = {}
    del main.__dict__["__doc__"]
    main.__dict__["__doc__"] = None
    main.__dict__["__builtins__"] = sys.modules["builtins"]
    sys.modules["__main__"] = main
    _warm_up()


def _warm_up() -> None:
    """Do what each fork will do, so that the interpreter's caches are filled before it."""
    for _ in range(_WARM):
        _compiled(os.devnull, {})
        _flush()
        _clear_names({"a": None, "_b": None})
        _renew_thread()
        SourceFileLoader("__main__", "")


def finish_fork() -> "dict[str, Any]":
    """In the program's process, renew what must differ from its parent.

    Returns:
        The names of a new, empty `__main__`.
    """
    # This is what the at-fork handlers of these modules do; the fork may have run without them.
    _renew_thread()
    _random.Random.seed(vars(random)["_inst"])
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    return sys.modules["__main__"].__dict__


def _renew_thread() -> None:
    thread: Any = threading.main_thread()
    thread._set_native_id()  # noqa: SLF001  # as `threading` itself after a fork


def read_from_pipe() -> None:
    """Make `sys.stdin` a stream on a pipe, and not on a file."""
    _set_stream("stdin", _streams[_PIPED])


def _set_stream(name: str, stream: "Any") -> None:
    setattr(sys, name, stream)
    setattr(sys, f"__{name}__", stream)


def _make_streams() -> None:
    """Make standard streams as CPython does, on the numbers 0 to 2.

    They are made while a file and pipes have these numbers, because Python checks what is there;
    then the earlier files are put back.
    """
    file = input_file(b"")
    pipe = os.pipe()
    aside = [os.dup(number) for number in range(3)]
    for number, end in enumerate((pipe[0], pipe[1], pipe[1])):
        os.dup2(end, number)
    try:
        _streams[_PIPED] = _open_stream("stdin", 0, "rb")
        _streams["stdout"] = _open_stream("stdout", 1, "wb")
        _streams["stderr"] = _open_stream("stderr", 2, "wb")
        os.dup2(file, 0)
        _streams["stdin"] = _open_stream("stdin", 0, "rb")
    finally:
        for number, was in enumerate(aside):
            os.dup2(was, number)
        for descriptor in (file, *pipe, *aside):
            os.close(descriptor)


def _open_stream(name: str, number: int, mode: str) -> "Any":
    raw: Any = open(number, mode, closefd=False)  # noqa: SIM115  # for good
    raw.raw.name = f"<{name}>"
    from io import TextIOWrapper  # noqa: PLC0415

    errors = "backslashreplace" if name == "stderr" else "surrogateescape"
    text: Any = TextIOWrapper(raw, "utf-8", errors, "\n", line_buffering=name == "stderr")
    text.mode = mode[0]
    return text


def compile_main(main: str, args: "list[str]", names: "dict[str, Any]", known: "Known") -> Program:
    """Compile the program's main file, if it is not known; print its errors and exit if it has any.

    Known are files that were compiled before, by their content.
    """
    path = os.path.normpath(f"{os.getcwd()}/{main}")
    sys.argv[:] = [main, *args]
    sys.orig_argv[:] = [sys.executable, main, *args]
    sys.path.insert(0, os.path.dirname(path))
    names |= {"__name__": "__main__", "__package__": None, "__spec__": None}
    loader = SourceFileLoader("__main__", path)
    names |= {"__loader__": loader, "__file__": path, "__cached__": None}
    code = _compiled(path, known)
    if code is None:
        end(_run_as_file(path), None)
    return Program(code, names)


def _compiled(path: str, known: "Known") -> types.CodeType | None:
    """Return the code of a file; None if it cannot be compiled."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        source = os.read(file, os.fstat(file).st_size)
        os.close(file)
        _check_encoding(source)
        return known.get(source) or compile(source, path, "exec", dont_inherit=True)
    except Exception:  # noqa: BLE001  # CPython itself prints what is wrong
        return None


def _check_encoding(source: bytes) -> None:
    """Raise what CPython raises for a file that cannot be decoded; `compile` ignores comments."""
    if source.isascii():
        return
    import io  # noqa: PLC0415
    import tokenize  # noqa: PLC0415

    source.decode(tokenize.detect_encoding(io.BytesIO(source).readline)[0])


def _run_as_file(path: str) -> int:
    """Have CPython itself say what is wrong with a file, in its own words; return the exit code."""
    import ctypes  # noqa: PLC0415

    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    file = libc.fopen(os.fsencode(path), b"r")
    run = ctypes.pythonapi.PyRun_SimpleFileExFlags
    return 1 if run(ctypes.c_void_p(file), os.fsencode(path), 1, None) else 0


def report_exception(error: BaseException) -> int:
    """Print the exception that ended a program, as CPython does; return the exit code."""
    trace = error.__traceback__
    error.__traceback__ = trace and trace.tb_next  # without the frame that runs the program
    if isinstance(error, SystemExit):
        return _exit_code(error)
    _print_exception(error)
    if isinstance(error, KeyboardInterrupt):
        _flush()
        _die_of_interrupt()
    return 1


def _exit_code(error: SystemExit) -> int:
    code: object = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(1 << 63) <= code < 1 << 63 else 0xFF
    _flush()
    print(code, file=sys.stderr)
    return 1


def _print_exception(error: BaseException) -> None:
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    _flush_one(sys.stdout)
    hook = getattr(sys, "excepthook", None)
    if hook is None:
        print("sys.excepthook is missing", file=sys.stderr)
        sys.__excepthook__(type(error), error, error.__traceback__)
        return
    try:
        hook(type(error), error, error.__traceback__)
    except SystemExit as exit_:
        end(_exit_code(exit_), None)
    except BaseException as other:  # noqa: BLE001  # it is shown too
        trace = other.__traceback__
        other.__traceback__ = trace and trace.tb_next
        print("Error in sys.excepthook:", file=sys.stderr)
        sys.__excepthook__(type(other), other, other.__traceback__)
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(type(error), error, error.__traceback__)


def _die_of_interrupt() -> None:
    import signal  # noqa: PLC0415

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


def end(code: int, program: Program | None) -> "NoReturn":
    """Exit as an interpreter does: threads, exit functions, objects, output; in that order."""
    try:
        if "threading" in sys.modules:
            sys.modules["threading"]._shutdown()  # noqa: SLF001  # as CPython itself
    except BaseException as error:  # noqa: BLE001  # nothing is above
        _print_ignored(error, "on threading shutdown", sys.modules["threading"])
    run: Any = vars(atexit)["_run_exitfuncs"]
    run()
    whole = _flush()
    if program is not None:
        _clear_names(program.names)
        whole = _flush() and whole
    os._exit(code if whole else _BROKEN_PIPE)


def _print_ignored(error: BaseException, when: str, thing: object) -> None:
    """Print an exception that nothing can handle any more, as this version of Python does."""
    where = f"in: {thing!r}" if sys.version_info < (3, 13) else f"{when}:"
    print(f"Exception ignored {where}", file=sys.stderr)
    sys.__excepthook__(type(error), error, error.__traceback__)


def _clear_names(names: "dict[str, Any]") -> None:
    """Clear the program's own names, so that the finalizers of its objects run."""
    for private in (True, False):
        for name in [*names]:
            if name != "__builtins__" and (name[:1] == "_" and name[1:2] != "_") is private:
                names[name] = None
    gc.collect()


def _flush() -> bool:
    """Flush stderr and stdout; return whether all of stdout has been written."""
    _flush_one(sys.stderr)
    return _flush_one(sys.stdout)


def _flush_one(stream: "Any") -> bool:
    try:
        if stream is not None and not stream.closed:
            stream.flush()
    except BaseException as error:  # noqa: BLE001  # nothing is above
        if stream is sys.stdout:
            error.__traceback__ = None
            when = "while flushing" if sys.version_info >= (3, 14) else "on flushing"
            _print_ignored(error, f"{when} sys.stdout", stream)
            sys.stdout = None  # once is enough
        return False
    return True
