"""The names that tests use: which of them need the candidate's own process."""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from planish.data.tests import Assertions, Cases, PytestFile, StdioPairs, Tests
from planish.data.tests.uses import Paths, copied
from planish.verification._analysis import nodes_of

__all__ = ["names_used", "shared_process_reason"]

# Tests use these to read state of the candidate's own process: log records, warnings,
# descriptors, signatures of classes, weak references, frames of tracebacks, tasks of other event
# loops than asyncio's, objects that are equal only within their own class. The compiled code of
# these libraries takes objects of its own classes only, and no stand-ins.
_LIBRARIES = (
    *("pandas", "polars", "pyarrow", "xarray", "dask", "torch", "tensorflow", "jax", "scipy"),
    *("sklearn", "sympy", "networkx", "shapely", "PIL", "lxml", "DataFrame"),
)
_CLASSES = ("SimpleNamespace", "IntEnum", "IntFlag", *_LIBRARIES)
_LOGS = ("assertLogs", "assertNoLogs", "caplog", "getLogger", "basicConfig", "dictConfig")
_WARNINGS = (
    "assertWarns",
    "assertWarnsRegex",
    "catch_warnings",
    "deprecated_call",
    "recwarn",
    "simplefilter",
)
_DECIMALS = ("getcontext", "setcontext", "localcontext")
_DOCTESTS = ("testmod", "DocTestFinder", "DocTestSuite", "run_docstring_examples")
_LOOPS = ("anyio", "trio", "curio")
_FRAMES = ("extract_tb", "walk_tb", "tb_frame", "tb_next", "getinnerframes")
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(_LOGS, "log records"),
    **dict.fromkeys((*_WARNINGS, "warns"), "warnings"),
    **dict.fromkeys(("capfd", "capfdbinary"), "what is written to descriptors"),
    **dict.fromkeys(("create_autospec", "autospec"), "signatures of the code's classes"),
    **dict.fromkeys(("weakref",), "when objects of the code end"),
    **dict.fromkeys(_FRAMES, "frames of the code"),
    **dict.fromkeys(_DECIMALS, "the precision of decimals"),
    **dict.fromkeys(_DOCTESTS, "examples in the code"),
    **dict.fromkeys(("reload",), "how the code is loaded"),
    **dict.fromkeys(("__new__",), "how objects of the code are made"),
    **dict.fromkeys(_LOOPS, "tasks of an event loop other than asyncio's"),
    **dict.fromkeys(_CLASSES, "objects of a library's own class"),
    "__sizeof__": "the memory of the code",
}
# What both processes have, each its own: the code would change one, and the tests would look at
# the other. And what runs the code several times at once: the verifier sends one request at a
# time, so that a race in the code would not show. By line: what, a module, its names or `*`.
_OF_PROCESS = """
the threads of the code;_thread;*
the threads of the code;concurrent.futures;ThreadPoolExecutor ProcessPoolExecutor
the threads of the code;threading;Thread Timer active_count activeCount enumerate current_thread
 currentThread get_ident get_native_id excepthook settrace setprofile stack_size
the processes of the code;multiprocessing;*
the tasks of the code;asyncio;TaskGroup all_tasks as_completed create_task current_task
 ensure_future gather run_coroutine_threadsafe to_thread wait
the memory of the code;gc;*
the memory of the code;memory_profiler;*
the memory of the code;psutil;*
the memory of the code;resource;*
the memory of the code;tracemalloc;*
the processor time of the code;cProfile;*
the processor time of the code;profile;*
the processor time of the code;time;process_time process_time_ns thread_time thread_time_ns
 clock_gettime clock_gettime_ns
log records;logging;root lastResort getLoggerClass getLogRecordFactory getHandlerNames
warnings;warnings;filters resetwarnings showwarning
state of the process;atexit;*
state of the process;codecs;lookup_error register register_error
state of the process;contextvars;copy_context
state of the process;copyreg;*
state of the process;csv;field_size_limit get_dialect list_dialects register_dialect
state of the process;locale;*
state of the process;numpy;errstate geterr seterr seterrcall printoptions get_printoptions
 set_printoptions
state of the process;numpy.random;get_state
state of the process;os;getpid getppid getpgid getpgrp getpriority nice sched_getaffinity times
 umask
state of the process;random;getstate
state of the process;signal;getitimer getsignal pthread_sigmask raise_signal sigpending
state of the process;socket;getdefaulttimeout setdefaulttimeout
state of the process;sys;_current_frames _getframe addaudithook displayhook excepthook
 get_asyncgen_hooks get_int_max_str_digits getallocatedblocks getprofile getrecursionlimit
 getrefcount getsizeof getswitchinterval gettrace meta_path monitoring path_hooks
 set_int_max_str_digits setprofile setrecursionlimit setswitchinterval settrace unraisablehook
state of the process;time;tzset tzname timezone altzone daylight
state of the process;trace;*
"""
_STATE, _ALL = "state of the process", "*"
_IN_MODULES = {
    f"{module}.{name}": what
    for what, module, names in (
        line.split(";") for line in _OF_PROCESS.strip().replace("\n ", " ").splitlines()
    )
    for name in names.split()
}
_PROCESS_FILES = ("/proc/", "/dev/fd")
_LOOP_METHODS = ("create_task", "run_in_executor", "add_signal_handler", "set_exception_handler")
_QUIET_ACTIONS = ("ignore", "always", "default", "module", "once")
_COMPARED_STATE = frozenset(f"sys.{name}" for name in ("path", "argv", "stdin", "stdout", "stderr"))


def shared_process_reason(tests: Tests | None) -> str:
    """Return why tests must run in the candidate's process; "" if they need not.

    The reason depends on the tests only, so that a candidate cannot cause it.

    Args:
        tests: The tests of a task.
    """
    match tests:
        case Assertions():
            return _shared_process_reason(tests.code, "solution")
        case PytestFile():
            sources = [tests.source]
            sources += [text for path, text in tests.files.items() if path.endswith(".py")]
            reasons = [_shared_process_reason(source, tests.module) for source in sources]
            return next((reason for reason in reasons if reason), "")
        case Cases() | StdioPairs() | None:
            return ""


@lru_cache(maxsize=64)
def _shared_process_reason(code: str, module: str) -> str:
    names = ["reload"] if any(_unloads(node, module) for node in nodes_of(code)) else []
    made = ["__new__"] if _reads_new(code) else []
    for name in (*_names(code), *names, *made):
        if name in _REASONS and (name != "__new__" or made):
            means = "sys.modules" if name in names else name
            return (
                f"the tests inspect {_REASONS[name]} with {means!r}, which is possible in the "
                "candidate's own process only: they ran there"
            )
    for what, name in _uses_of_process(nodes_of(code)):
        return (
            f"the tests inspect {what} with {name!r}, which is possible in the candidate's own "
            "process only: they ran there"
        )
    return ""


def _uses_of_process(nodes: Sequence[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield what test code examines of the process in which it runs, and by which name."""
    paths = Paths(nodes)
    for node in nodes:
        yield from _named_state(paths.of(node), paths.stars)
        match node:
            case ast.Constant(value=str(text)) if text.startswith(_PROCESS_FILES):
                yield _STATE, text[:50]
            case ast.Call(func=ast.Attribute(attr=name, value=owner)) if name in _LOOP_METHODS:
                if _is_loop(owner):
                    yield "the tasks of the code", name
            case ast.Call(func=function, args=args):
                yield from _called_state(paths.of(function), args, paths)
            case _:
                pass
    yield from _compared_with_before(nodes, paths)


def _named_state(path: str, stars: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield what a path names of the process."""
    for full in (path, *(f"{star}.{path}" for star in stars)) if path else ():
        parts = full.split(".")
        for size in range(1, len(parts)):
            module = ".".join(parts[:size])
            for name in (_ALL, parts[size]):
                if f"{module}.{name}" in _IN_MODULES:
                    yield _IN_MODULES[f"{module}.{name}"], f"{module}.{parts[size]}"


def _called_state(
    function: str, args: Sequence[ast.expr], paths: Paths
) -> Iterator[tuple[str, str]]:
    """Yield what a call examines of the process, by its arguments."""
    match args:
        case [ast.Constant(value=action), *_] if action in _QUIET_ACTIONS:
            return
        case [ast.Name() as owner, *_] if paths.of(owner) == "builtins":
            if function in ("hasattr", "vars", "dir"):
                yield _STATE, "builtins"
        case _:
            pass
    if function == "warnings.filterwarnings":
        yield "warnings", "filterwarnings"


def _is_loop(node: ast.AST) -> bool:
    """Tell whether an expression is an event loop, by its name or that of what is called."""
    match node:
        case ast.Name(id=name) | ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name.endswith("loop")
        case _:
            return False


def _compared_with_before(nodes: Sequence[ast.AST], paths: Paths) -> Iterator[tuple[str, str]]:
    """Yield what tests read of a module twice to compare it, as `sys.path` or `builtins.print`."""
    saved: dict[str, str] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                path = paths.of(copied(value))
                if "." in path:
                    saved[name] = path
            case _:
                pass
    for node in nodes:
        match node:
            case ast.Compare(left=left, comparators=more):
                parts = [left, *more]
            case ast.Call(func=ast.Attribute(attr=name), args=args) if name.startswith("assert"):
                parts = args
            case _:
                continue
        now = {paths.of(copied(part)) for part in parts}
        before = {saved.get(part.id, "") for part in parts if isinstance(part, ast.Name)}
        for path in sorted(now & (before | _COMPARED_STATE) - {""}):
            yield _STATE, path


def _unloads(node: ast.AST, module: str) -> bool:
    """Tell whether code takes a module out of `sys.modules` that may be the candidate's.

    It is imported again from its start after that.
    """
    match node:
        case ast.Delete(targets=[ast.Subscript(value=ast.Attribute(attr="modules"), slice=key)]):
            pass
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(attr="modules"), attr="pop"), args=[key, *_]
        ):
            pass
        case ast.Call(
            func=ast.Attribute(attr="delitem"), args=[ast.Attribute(attr="modules"), key, *_]
        ):
            pass
        case _:
            return False
    name = key.value if isinstance(key, ast.Constant) else module
    return str(name).partition(".")[0] == module.partition(".")[0]


def _reads_new(code: str) -> bool:
    """Tell whether code looks at the `__new__` of a class, and does not call it."""
    nodes = nodes_of(code)
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    found = (node for node in nodes if isinstance(node, ast.Attribute) and node.attr == "__new__")
    return any(isinstance(node.ctx, ast.Load) and id(node) not in called for node in found)


def names_used(tests: Tests | None) -> frozenset[str]:
    """Return the names that the code of tests uses: of variables, attributes, imports."""
    match tests:
        case Assertions():
            sources = [tests.code]
        case PytestFile():
            sources = [tests.source]
            sources += [text for path, text in tests.files.items() if path.endswith(".py")]
        case Cases():
            sources = [case.predicate.strip() for case in tests.cases if case.predicate]
        case StdioPairs(checker=str(checker)):
            sources = [checker]
        case StdioPairs() | None:
            sources = []
    return frozenset(name for source in sources for name in _names(source))


@lru_cache(maxsize=64)
def _names(code: str) -> tuple[str, ...]:
    names: list[str] = []
    for node in nodes_of(code):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                pass
            case ast.keyword(arg=str(name)) | ast.alias(name=name):
                pass
            case ast.ImportFrom(module=str(name)):
                pass
            case _:
                continue
        names.append(name.partition(".")[0])  # of a module within a package
    return tuple(names)
