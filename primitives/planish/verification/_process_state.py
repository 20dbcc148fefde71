"""What tests examine of the process in which they run: it may differ from the candidate's.

Both processes have threads, tasks, memory, signal handlers and the like, each its own.
"""

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from planish.verification._analysis import nodes_of

__all__ = ["uses_of_process"]

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
# Code without any of these examines nothing of its process: most tests are not searched further.
_MENTION = re.compile(
    rf"\b(?:{'|'.join(sorted({path.partition('.')[0] for path in _IN_MODULES}))}|np|builtins)\b"
    rf"|loop\b|{'|'.join(_PROCESS_FILES)}"
)
_LOOP_METHODS = ("create_task", "run_in_executor", "add_signal_handler", "set_exception_handler")
_QUIET_ACTIONS = ("ignore", "always", "default", "module", "once")
_COMPARED_STATE = frozenset(f"sys.{name}" for name in ("path", "argv", "stdin", "stdout", "stderr"))
_WORDS = ("codecs", "csv", "locale", "profile", "resource", "signal", "socket", "trace")
"""Names of modules that code may also give to something else; the tests have to import these."""
_COPYING = ("list", "tuple", "dict", "set", "frozenset", "id", "len", "copy", "deepcopy")


class _Paths:
    """Find the module that a name comes from, and its path in it.

    Args:
        nodes: Those of test code.

    Attributes:
        stars: The modules from which it imports `*`.
        roots: The first names of the modules that it imports or imports from.
    """

    def __init__(self, nodes: Sequence[ast.AST]) -> None:
        self._imports = {"np": "numpy"}
        self._bound: set[str] = set()
        self.stars: set[str] = set()
        for node in nodes:
            match node:
                case ast.Import(names=aliases):
                    for alias in aliases:
                        name = alias.name if alias.asname else alias.name.partition(".")[0]
                        self._imports[alias.asname or name] = name
                case ast.ImportFrom(module=module, level=level, names=aliases):
                    place = "." * level + (module or "")
                    self._imports.update({a.asname or a.name: f"{place}.{a.name}" for a in aliases})
                    self.stars |= {place for alias in aliases if alias.name == "*"}
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                    self._bound.add(name)
                case _:
                    pass
        self.roots = {path.partition(".")[0] for path in self._imports.values()}

    def of(self, node: ast.AST) -> str:
        """Return the path of a name, as "threading.Thread"; "" if it is a variable's."""
        match node:
            case ast.Attribute(value=owner, attr=attribute):
                path = self.of(owner)
                return f"{path}.{attribute}" if path else ""
            case ast.Name(id=name):
                own = name in self._bound or name in _WORDS  # a variable, or of the code
                return self._imports.get(name, "" if own else name)
            case _:
                return ""


def uses_of_process(code: str, module: str) -> Iterator[tuple[str, str]]:
    """Yield what test code examines of the process in which it runs, and by which name.

    Args:
        code: Test code that parses.
        module: The name under which it imports the candidate.
    """
    if "import" not in code and not _MENTION.search(code):
        return
    nodes = nodes_of(code)
    paths = _Paths(nodes)
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
    own = module.partition(".")[0]  # of the candidate: read in its process anyway
    yield from _compared_with_before(nodes, paths, paths.roots - {own})


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
    function: str, args: Sequence[ast.expr], paths: _Paths
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


def _compared_with_before(
    nodes: Sequence[ast.AST], paths: _Paths, modules: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield what tests read of a module twice to compare it, as `sys.path` or `builtins.print`."""
    saved: dict[str, str] = {}
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                path = paths.of(_copied(value))
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
        now = {paths.of(_copied(part)) for part in parts}
        before = {saved.get(part.id, "") for part in parts if isinstance(part, ast.Name)}
        for path in sorted(now & (before | _COMPARED_STATE)):
            if path.partition(".")[0] in modules:
                yield _STATE, path


def _copied(node: ast.AST) -> ast.AST:
    """Return what an expression copies: `sys.path` of `list(sys.path)` or `sys.path[:]`."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[inner]) if name in _COPYING:
            return inner
        case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[]):
            return inner
        case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=None)):
            return inner
        case ast.Call(func=inner) if "random" in ast.unparse(inner):  # the next of one stream
            return inner
        case _:
            return node
