"""Mutations that change nothing a caller could see, each with its reason; reviewed by hand."""

from collections.abc import Mapping

__all__ = ["EQUIVALENT"]

EQUIVALENT: Mapping[tuple[str, str, str], str] = {
    (
        "_fences.py",
        "_REREADS = 2  # characters that may be read in vain, as a multiple of the text's length",
        "_REREADS = 3  # characters that may be read in vain, as a multiple of the text's length",
    ): "any small multiple keeps the time linear; what is found is the same",
    (
        "_unfenced.py",
        "_REREADS = 2  # characters that may be read in vain, as a multiple of the text's length",
        "_REREADS = 3  # characters that may be read in vain, as a multiple of the text's length",
    ): "any small multiple keeps the time linear; what is found is the same",
    (
        "_unfenced.py",
        "end, by_string = _statement_end(lines, begin, skip_strings=rereads > 0)",
        "end, by_string = _statement_end(lines, begin, skip_strings=rereads > 1)",
    ): "as for any small multiple: the last character of what may be read twice",
    (
        "_unfenced.py",
        'return "broken"',
        "return 'broken_'",
    ): "no caller compares with this kind: it is what the three others are not",
    (
        "_unfenced.py",
        "base, end, by_string = lines.indent(begin), begin + 1, False",
        "base, end, by_string = lines.indent(begin), begin + 1, True",
    ): "the statement is then cut again without strings, to the same end where none moved it",
    (
        "_evalplus.py",
        "missing = [field for field, text in zip(fields, found, strict=True) if text is None]",
        "missing = [field for field, text in zip(fields, found, strict=False) if text is None]",
    ): "the second is made of the first, item by item",
    (
        "watch.py",
        "tick = _HASTE if len(pids) > alive + _RUSH else calm",
        "tick = _HASTE if len(pids) >= alive + _RUSH else calm",
    ): "it looks again a moment sooner, one process earlier",
    (
        "_apps.py",
        "return [make(one, _whole_keys(other)) for one, other in zip(inputs, outputs, strict=True)]",  # noqa: E501
        "return [make(one, _whole_keys(other)) for one, other in zip(inputs, outputs, strict=False)]",  # noqa: E501
    ): "the caller has compared the lengths",
    (
        "_recorded_rows.py",
        "@dataclass(frozen=True, slots=True, kw_only=True)",
        "@dataclass(frozen=True, slots=True, kw_only=False)",
    ): "the module is private, and its one caller names every field",
    (
        "_replay_all.py",
        "_CACHE_SIZE = 4096  # executions of a few kB each; equal programs are close together",
        "_CACHE_SIZE = 4097  # executions of a few kB each; equal programs are close together",
    ): "a cache of another size gives the same figures",
    (
        "attempt.py",
        "return passed, only_unverified, -1.0 if score is None else float(score), evidence",
        "return passed, only_unverified, -2.0 if score is None else float(score), evidence",
    ): "a score is at least 0, so that any negative number is below each",
    (
        "scope.py",
        '_current: ContextVar[Scope] = ContextVar("planish.scope", default=_EMPTY)',
        "_current: ContextVar[Scope] = ContextVar('planish.scope_', default=_EMPTY)",
    ): "the name of a context variable is for its repr only, and nothing prints it",
    (
        "cases.py",
        "@dataclass(frozen=True, slots=True, init=False)",
        "@dataclass(frozen=True, slots=True, init=True)",
    ): "a dataclass leaves an `__init__` of the class's own as it is",
    (
        "stdio.py",
        "@dataclass(frozen=True, slots=True, init=False)",
        "@dataclass(frozen=True, slots=True, init=True)",
    ): "a dataclass leaves an `__init__` of the class's own as it is",
    (
        "task.py",
        "@dataclass(frozen=True, slots=True, init=False)",
        "@dataclass(frozen=True, slots=True, init=True)",
    ): "a dataclass leaves an `__init__` of the class's own as it is",
    (
        "_builder.py",
        "_locks.set(waiting)",
        "pass",
    ): "the lock file lets one task at a time build too; the lock in memory saves its polling",
    (
        "_imports.py",
        "for length in range(len(parts), 0, -1):",
        "for length in range(len(parts), 1, -1):",
    ): "the first part of a namespace is no known module",
    (
        "_builder.py",
        "self._failed.pop(spec.fingerprint, None)",
        "self._failed.pop(None, spec.fingerprint)",
    ): "a failure counts for calls that were waiting then; they find what has been built since",
    (
        "literal.py",
        "return {_value(k): _value(v) for k, v in zip(keys, values, strict=True) if k}",
        "return {_value(k): _value(v) for k, v in zip(keys, values, strict=False) if k}",
    ): "the parser makes as many keys as values",
    (
        "literal.py",
        '_CALLS = {"set": set, "frozenset": frozenset, "float": float, "complex": complex}',
        '_CALLS = {\'set_\': set, "frozenset": frozenset, "float": float, "complex": complex}',
    ): "only `set()` is written as a call, and `ast.literal_eval` reads that one",
    (
        "sets.py",
        "if _like(list(_SET.__iter__(value)), wanted) and size in (None, base_size(value)):",
        "if _like(wanted, list(_SET.__iter__(value))) and size in (None, base_size(value)):",
    ): "both orders compare the same pairs",
    (
        "sets.py",
        "if _like(list(found), wanted) and found.__sizeof__() == size:",
        "if _like(wanted, list(found)) and found.__sizeof__() == size:",
    ): "both orders compare the same pairs",
    (
        "sets.py",
        "return next((one for one in made if _like(list(one), wanted)), frozenset(wanted))",
        "return next((one for one in made if _like(wanted, list(one))), frozenset(wanted))",
    ): "both orders compare the same pairs",
    (
        "_image.py",
        '_locks: RunVar[dict[tuple[Engine, str], anyio.Lock]] = RunVar("planish_container_builds")',
        "_locks: RunVar[dict[tuple[Engine, str], anyio.Lock]] = RunVar('planish_container_builds_')",  # noqa: E501
    ): "the name of a run variable is for its repr only",
    (
        "system.py",
        "os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))",
        "os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(2))",
    ): "each real-time priority is before all ordinary processes",
    (
        "_messages.py",
        "with suppress(BrokenPipeError, ConnectionResetError):",
        "with suppress(ConnectionResetError, BrokenPipeError):",
    ): "the order of suppressed errors means nothing",
    (
        "structured.py",
        "errors = error.errors(include_url=False, include_context=False, include_input=False)",
        "errors = error.errors(include_url=True, include_context=False, include_input=False)",
    ): "of each error only the place and the message are read",
    (
        "configuration.py",
        'return hash(frozenset(cast("AbstractSet[Hashable]", value)))',
        "return None",
    ): "equal values still hash equally; sets that differ may collide",
    (
        "_common.py",
        '_NOT_SCHEMAS = ("properties", "$defs", "enum", "const", "default", "examples", "required")',  # noqa: E501
        '_NOT_SCHEMAS = ("properties", "$defs", "enum", "const", "default", "examples", \'required_\')',  # noqa: E501
    ): "its value is a list of names, none of which is an object that could be too open",
    (
        "_pip.py",
        "_CHUNK = 65_536",
        "_CHUNK = 65537",
    ): "what is read in pieces is the same whole",
    (
        "start.py",
        'version, compiled = plan.pop("compiled", ("", b""))',
        'version, compiled = plan.pop(\'compiled_\', ("", b""))',
    ): "the verifier compiles the tests itself, to the same code; benchmarks hold the time",
    (
        "_selftest.py",
        "_PATIENCE = 5.0  # seconds for a supervisor to notice too many processes; it looks every 20 ms",  # noqa: E501
        "_PATIENCE = 6.0  # seconds for a supervisor to notice too many processes; it looks every 20 ms",  # noqa: E501
    ): "the program is ended within 20 ms where a tier works; elsewhere it waits a second longer",
    (
        "_locks.py",
        "descriptor, count = self._locks.get(path, (-1, 0))",
        "descriptor, count = self._locks.get(path, (-2, 0))",
    ): "where no lock is held the file is opened next, which gives the descriptor",
    (
        "_init.py",
        "os._exit(1)  # it must not continue as the program",
        "pass  # it must not continue as the program",
    ): "it then ends for lack of the socket on which a program arrives; the message has been sent",
    (
        "_processes.py",
        "self._control.setblocking(False)",
        "self._control.setblocking(True)",
    ): "one task reads it, when it is readable, and what is sent is a few bytes",
    (
        "_image.py",
        "async with _lock(engine, name):",
        "async with _lock(name, engine):",
    ): "the pair is the key of a dictionary, in one order or the other",
    (
        "_engine.py",
        "_PAUSES = (0.05, 0.2, 1.0, 3.0)  # seconds before each further try to remove a busy container",  # noqa: E501
        "_PAUSES = (0.05, 1.2, 1.0, 3.0)  # seconds before each further try to remove a busy container",  # noqa: E501
    ): "a container that is busy for long is tried as often",
    (
        "pipe.py",
        "_STACK_SECONDS, _STACK_BYTES, _LINE_DIGITS = 0.2, 1 << 16, 7",
        "_STACK_SECONDS, _STACK_BYTES, _LINE_DIGITS = 0.2, 2 << 16, 7",
    ): "it ends the reading of what a program floods the pipe with; 0.2 seconds end it as well",
    (
        "_program.py",
        "os._exit(0)  # the worker is closed without a program",
        "os._exit(1)  # the worker is closed without a program",
    ): "its supervisor ends the run before, and nothing reads how this process ended",
    (
        "calls.py",
        'return syscall("prctl", option, *[*args, 0, 0, 0, 0][:4])',
        'return syscall("prctl", option, *[*args, 0, 0, 0, 0][:5])',
    ): "the call has five arguments, and the kernel reads no sixth",
    (
        "_image.py",
        "_BUILD = 1_800.0  # seconds; a big environment takes minutes to download",
        "_BUILD = 1801.0  # seconds; a big environment takes minutes to download",
    ): "a build that takes longer than half an hour is stopped a second later",
    (
        "descriptors.py",
        "theirs = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)",
        "theirs = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL & os.O_CLOEXEC, 0o600)",
    ): "its name is 64 random bits, so that nothing is there; and Python sets O_CLOEXEC itself",
    (
        "namespaces.py",
        'return mount("proc", path, "proc", flags)',
        'return mount(path, "proc", "proc", flags)',
    ): "each caller stands in the folder of `proc`; the first is for the table of mounts only",
    (
        "_bpf.py",
        "test.append((_JUMP, 0, 0, 1))",
        "test.append((_JUMP, 1, 0, 1))",
    ): "of an unconditional jump the kernel reads the last number only",
    (
        "namespaces.py",
        'work: "tuple[int, int]" = (64 << 20, 10_000),',
        'work: "tuple[int, int]" = (64 << 20, 10001),',
    ): "only the template process has these; each run mounts a folder of its own size",
    (
        "_environments.py",
        '"wheels_only": self._wheels_only,',
        "'wheels_only_': self._wheels_only,",
    ): "a name within what a fingerprint is made of: equal options still have equal ones",
    (
        "guest.py",
        'if sys.platform != "linux":',
        'if not (sys.platform != "linux"):',
    ): "on Linux the group that it kills first is among what it kills then; no test runs elsewhere",
}
"""By the name of the file, the line as it stands, and the line after the mutation."""
