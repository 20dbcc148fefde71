"""Replacements in planish's own source that take defences out of it: file, text, new text."""

__all__ = [
    "BELIEVED",
    "ENDS",
    "HOME_ON_PATH",
    "IN",
    "LOADED_EARLY",
    "PICKLED",
    "SILENT",
    "TOGETHER",
    "UNCHECKED",
    "UNSEALED",
    "UNWATCHED",
    "USED",
    "Edit",
]

Edit = tuple[str, str, str]

IN, OUT = "guest/verifier", "verification"
UNWATCHED: Edit = (
    f"{IN}/start.py",
    "    watch(judge.evidence.weakened, (texts,) if type(texts) is str else texts.values())\n",
    "",
)
BELIEVED: Edit = (
    f"{IN}/evidence.py",
    "        if why not in self._reasons",
    "        if False and why not in self._reasons",
)
UNCHECKED: Edit = (f"{IN}/start.py", "why=apart.why_not(sys.path))", 'why="")')
# Tests that use nothing over the pipe count all the same.
USED: Edit = (
    f"{OUT}/_results.py",
    '("no_evidence" if record.unused else "passed")',
    '"passed"',
)
HOME_ON_PATH: Edit = (
    f"{IN}/start.py",
    '    sys.path[:] = [place for place in sys.path if place not in ("", ".", home())]\n',
    "    sys.path.insert(0, home())\n",
)
TOGETHER: tuple[Edit, ...] = (
    UNWATCHED,
    BELIEVED,
    USED,
    (
        f"{IN}/judge.py",
        """        shift = (self.plan["candidate"], self.plan["offset"])
        raised, flags""",
        """        from .namespace import load
        sys.path.insert(0, home())
        self.space, error = load(self.plan)
        if error is not None:
            return error
        self.want = lambda names: None
        self.want_for = lambda *parts: None
        return None
        raised, flags""",
    ),
    (
        f"{IN}/pytests.py",
        """    judge.offer(plan["name"], lambda: _hide(plan["tests"]))
    inside""",
        """    sys.path.insert(0, home())
    inside""",
    ),
)
SILENT: tuple[Edit, ...] = (
    (f"{OUT}/_records.py", 'if completed.limit == "seconds" or run.timed_out:', "if False:"),
    (f"{OUT}/_records.py", "if completed.limit is not None:", "if False:"),
    (f"{OUT}/_records.py", "if completed.signal is not None:", "if False:"),
    (
        f"{OUT}/_status.py",
        '    if limit == "seconds" or any(run.timed_out for run in runs):',
        "    if False:",
    ),
    (
        f"{OUT}/_status.py",
        """    if limit is not None:
        return Status.RESOURCE""",
        """    if False:
        return Status.RESOURCE""",
    ),
)
ENDS: tuple[Edit, ...] = (
    (f"{IN}/start.py", 'put("setup", **witness.raised(error))', "witness.raised(error)"),
    (
        f"{IN}/pytests.py",
        'self.put("setup", **self.witness.raised(excinfo.value))',
        "self.witness.raised(excinfo.value)",
    ),
    (f"{OUT}/_records.py", "if has_results and not run.ended:", "if False:"),
    (
        f"{OUT}/_results.py",
        """        if end["exits"]:
            return "not_run", end["message"]
""",
        """        if end["exits"]:
            return "passed", ""
""",
    ),
    (
        f"{OUT}/_results.py",
        "    if end is None:\n",
        '    if end is None:\n        return "passed", ""\n',
    ),
)

LOADED_EARLY: Edit = (
    f"{IN}/pytests.py",
    """    judge.offer(plan["name"], lambda: _hide(plan["tests"]))
    inside = plan["name"] + "."  # its modules are asked before it, which makes it a package
    for name in reversed(plan["modules"]):
        if name.startswith(inside):
            judge.offer(name, lambda: _hide(plan["tests"]))
    for name in plan["modules"]:  # the deepest is asked first
        if not name.startswith(inside):
            judge.offer(name, lambda: _hide(plan["tests"]), last=True)
    finder: Any = frozen
    sys.meta_path.insert(0, finder)
""",
    """    judge.offer(plan["name"], lambda: None)
    __import__(plan["name"])
    finder: Any = frozen
    sys.meta_path.insert(0, finder)
""",
)
PICKLED: tuple[Edit, ...] = (
    (
        f"{IN}/remote_objects.py",
        """        if is_a(value, type):
            self._write_class(writer, value)
            return
""",
        """        import pickle
        try:
            data = pickle.dumps(value)
        except Exception:
            data = b""
        if data and not self.strict and not callable(value):
            writer.token("p" + data.hex())
            return
        if is_a(value, type):
            self._write_class(writer, value)
            return
""",
    ),
    (
        f"{IN}/object_table.py",
        """            "o": remote_objects.read_object,
""",
        """            "o": remote_objects.read_object,
            "p": lambda _reader, text: __import__("pickle").loads(bytes.fromhex(text)),
""",
    ),
)
UNSEALED: tuple[Edit, ...] = (
    (f"{OUT}/_programs.py", "        results=has_results,\n", ""),
    (f"{OUT}/_programs.py", "secret = os.urandom(16).hex() if", 'secret = "0" * 32 if'),
    (f"{OUT}/_status.py", "    if completed.results is None:", "    if False:"),
    (
        f"{OUT}/_records.py",
        """        if mark != seals.next(record):
            run.tampering = f"line {count + 1} of the record of the tests is not genuine"
            return
        try:
            found = _DECODER.decode(record.decode())
        except ValueError:
            run.tampering = f"line {count + 1} of the record of the tests cannot be read"
            return
        yield {name: _bounded(name, fact) for name, fact in found.items()}
""",
        """        try:
            found = json.loads(line if line[:1] == b"{" else record)
        except ValueError:
            continue
        if found.get("test", 0) not in (*range(3),) and found.get("kind") == "passed":
            continue
        yield {"seconds": 0.1, "why": "", **found}
""",
    ),
    (f"{OUT}/_records.py", "    if run.ended:\n", "    if False:\n"),
    (
        f"{OUT}/_records.py",
        'if test.end is not None and test.end["kind"] != kind:',
        "if False:",
    ),
    (
        f"{OUT}/_records.py",
        "    elif not run.started and completed.limit",
        "    elif False and completed.limit",
    ),
    (
        f"{OUT}/_status.py",
        "            if not reasons and not all(run.separate for run in runs):\n",
        "            if False:\n",
    ),
)
