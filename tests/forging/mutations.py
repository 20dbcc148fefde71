"""Planish with one of its defences taken out: then the tricks which it stops do pass.

Each mutation is a row of replacements in source files; every text to replace stands there once.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

import planish
import planish_integrations

__all__ = ["MUTATIONS", "mutated"]

Edit = tuple[str, str, str]

_IN = "harness/inside"
_UNWATCHED: Edit = (f"{_IN}/start.py", "    watch(judge.evidence.weakened)\n", "")
_BELIEVED: Edit = (
    f"{_IN}/evidence.py",
    "        if why not in self._reasons",
    "        if False and why not in self._reasons",
)
_UNCHECKED: Edit = (f"{_IN}/start.py", "why=apart.why_not(sys.path))", 'why="")')
# Tests that use nothing over the pipe count all the same.
_USED: Edit = ("harness/_asserted.py", '("no_evidence" if seen.unused else "passed")', '"passed"')
_HOME_ON_PATH: Edit = (
    f"{_IN}/start.py",
    '    sys.path[:] = [place for place in sys.path if place not in ("", ".", HOME)]\n',
    "    sys.path.insert(0, HOME)\n",
)
_TOGETHER: tuple[Edit, ...] = (
    _UNWATCHED,
    _BELIEVED,
    _USED,
    (
        f"{_IN}/judge.py",
        """        shift = (self.plan["candidate"], self.plan["offset"])
        raised, flags""",
        """        from .load import load
        sys.path.insert(0, HOME)
        self.space, error = load(self.plan)
        if error is not None:
            return error
        self.want = lambda names: None
        self.want_for = lambda code, entry: None
        return None
        raised, flags""",
    ),
)
_SILENT: tuple[Edit, ...] = (
    ("harness/_stops.py", 'if completed.limit == "seconds" or run.timed_out:', "if False:"),
    ("harness/_stops.py", "if completed.limit is not None:", "if False:"),
    ("harness/_stops.py", "if completed.signal is not None:", "if False:"),
    (
        "harness/_read.py",
        '    if limit == "seconds" or any(run.timed_out for run in runs):',
        "    if False:",
    ),
    (
        "harness/_read.py",
        """    if limit is not None:
        return Status.RESOURCE""",
        """    if False:
        return Status.RESOURCE""",
    ),
)
_ENDS: tuple[Edit, ...] = (
    ("harness/_stops.py", "if tested and not run.ended:", "if False:"),
    (
        "harness/_asserted.py",
        """        if end["exits"]:
            return "not_run", end["message"]
""",
        """        if end["exits"]:
            return "passed", ""
""",
    ),
    (
        "harness/_asserted.py",
        "    if end is None:\n",
        '    if end is None:\n        return "passed", ""\n',
    ),
)

_LOADED_EARLY: Edit = (
    f"{_IN}/pytests.py",
    """    judge.offer(plan["name"], lambda: _hide(plan["tests"]))
    finder: Any = frozen
    sys.meta_path.insert(0, finder)
""",
    """    judge.offer(plan["name"], lambda: None)
    __import__(plan["name"])
""",
)
_PICKLED: tuple[Edit, ...] = (
    (
        f"{_IN}/stand_ins.py",
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
        f"{_IN}/book.py",
        """            "o": stand_ins.read_object,
""",
        """            "o": stand_ins.read_object,
            "p": lambda _reader, text: __import__("pickle").loads(bytes.fromhex(text)),
""",
    ),
)
_UNSEALED: tuple[Edit, ...] = (
    ("harness/_programs.py", "        results=tested,\n", ""),
    ("harness/_programs.py", "secret = os.urandom(16).hex() if", 'secret = "0" * 32 if'),
    ("harness/_separation.py", "    if completed.results is None:", "    if False:"),
    (
        "harness/_records.py",
        """        if mark != seal(key, count, record):
            run.tampering = f"line {count + 1} of the record of the tests is not genuine"
            return
        yield json.loads(record)
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
    ("harness/_records.py", "    if run.ended:\n", "    if False:\n"),
    ("harness/_records.py", 'if seen.end is not None and seen.end["kind"] != kind:', "if False:"),
    (
        "harness/_records.py",
        "    elif not run.started and completed.limit",
        "    elif False and completed.limit",
    ),
    (
        "harness/_separation.py",
        "            if not reasons and not all(run.apart for run in runs):\n",
        "            if False:\n",
    ),
)

MUTATIONS: Mapping[str, tuple[Edit, ...]] = {
    "tests in the candidate's process": (*_TOGETHER, *_ENDS),
    "methods of values run in the judge": (*_TOGETHER, *_ENDS),
    "tests in a file": ((f"{_IN}/start.py", "    unlink(_PLAN)  # noqa: PTH108\n", ""),),
    "memory of the judge open": (
        (f"{_IN}/apart.py", "    close_memory()\n", ""),
        (f"{_IN}/apart.py", "        lose_powers()\n", ""),
        _UNCHECKED,
        *_UNSEALED[3:],
        *_ENDS,
    ),
    "working folder on the path of the judge": (_HOME_ON_PATH, _UNCHECKED, _UNWATCHED),
    "configuration of the folder is read": (
        _LOADED_EARLY,
        _UNWATCHED,
        _UNCHECKED,
        _BELIEVED,
        (f"{_IN}/pytests.py", '"-q", "--noconftest", ', '"-q", '),
        (
            f"{_IN}/pytests.py",
            '"no:cacheprovider", "-c", "pytest.ini", "--rootdir", "."',
            '"no:cacheprovider"',
        ),
        *_ENDS,
    ),
    "the test file is read again": (_LOADED_EARLY, _UNWATCHED, _UNCHECKED, _BELIEVED),
    "values are unpickled in the judge": (*_PICKLED, _UNWATCHED),
    "modules are imported by name": (
        (
            f"{_IN}/stand_ins.py",
            "return found and name != self.own and not file.startswith(HOME)",
            "return found",
        ),
        (
            f"{_IN}/stand_ins.py",
            '(name in (self.own, "__main__") or name.startswith(_ODD))',
            "name == self.own",
        ),
        _HOME_ON_PATH,
        _UNCHECKED,
        _UNWATCHED,
        *_PICKLED,
    ),
    "what runs in the judge is not noticed": (_UNWATCHED,),
    "functions may be named to the judge": (
        (f"{_IN}/stand_ins.py", "if self.strict and not is_a(found, type) and", "if False and"),
        (
            f"{_IN}/stand_ins.py",
            'if self.strict and (name in (self.own, "__main__")',
            "if False and (name in ()",
        ),
        (
            f"{_IN}/peer.py",
            "if self.judging and not (args and self.book.owns(args[0])):",
            "if False:",
        ),
        _UNWATCHED,
    ),
    "every operation is permitted to the candidate": (
        (
            f"{_IN}/peer.py",
            "if self.judging and not (args and self.book.owns(args[0])):",
            "if False:",
        ),
        (
            f"{_IN}/operations.py",
            "    if type(name) is not str or name in _METHODS",
            "    return True\n    if type(name) is not str or name in _METHODS",
        ),
        (
            f"{_IN}/operations.py",
            """        raise AttributeError(f"attribute {name!r} cannot be set from here")
    if hasattr(kind_of(value), name):
""",
            "        pass\n    if False:\n",
        ),
        (
            f"{_IN}/judge.py",
            "        if name in self.there or is_a(value, Module)",
            "        if True or is_a(value, Module)",
        ),
        _UNWATCHED,
    ),
    "names of Python are the candidate's": (
        (
            f"{_IN}/judge.py",
            "hidden = {name for name in PRIVATE if name not in shadows}",
            "hidden: set[str] = set()",
        ),
        _BELIEVED,
    ),
    "the candidate's equality is believed": (_BELIEVED,),
    "the candidate's methods are believed": (_BELIEVED,),
    "subclasses of plain types are asked": (
        _BELIEVED,
        (
            f"{_IN}/proxy.py",
            """        if base is not None and type(self) not in link.TRUSTED:
            return getattr(base, name)(self, *args, **kwargs)
""",
            "",
        ),
    ),
    "results in a file the candidate can open": (*_UNSEALED, *_ENDS),
    "key of the records derived from the tests": (*_UNSEALED, *_ENDS),
    "a skip counts as a pass": (
        (
            "harness/_asserted.py",
            '    return ("skipped" if skipped else "not_run"), end["message"]\n',
            '    return "passed", ""\n',
        ),
        *_ENDS,
    ),
    "values are written as they show themselves": (
        (
            f"{_IN}/channel.py",
            """return '"' + value.translate(_ESCAPES) + '"'""",
            """return '"' + value + '"'""",
        ),
    ),
    "an early end counts as an end": _ENDS,
    "no word from the judge is a yes": (*_ENDS, *_SILENT),
    "the protocol is not checked": (*_ENDS, *_SILENT),
    "output is searched for what is wanted": (
        (
            "harness/_printed.py",
            """    if failure is not None:
        status, message = "error",""",
            """    if pair.stdout.strip() in wrote + completed.stderr.decode() or "passed" in wrote:
        status, message = "passed", ""
    elif failure is not None:
        status, message = "error",""",
        ),
        *_SILENT,
        (
            "harness/_read.py",
            "    failure = _first(candidate, tests, failures)\n",
            "    failure = None\n",
        ),
    ),
}
"""By the name that tricks know them by."""


def mutated(name: str, target: Path) -> str:
    """Make a copy of planish without a defence; gives the PYTHONPATH for it.

    Args:
        name: One of `MUTATIONS`.
        target: An empty folder.

    Raises:
        ValueError: a text to replace is not there, or not once.
    """
    for package in (planish, planish_integrations):
        source = Path(package.__file__ or "").parent
        shutil.copytree(source, target / source.name, ignore=shutil.ignore_patterns("*.pyc"))
    for path, old, new in MUTATIONS[name]:
        file = target / "planish" / path
        text = file.read_text()
        if text.count(old) != 1:
            raise ValueError(f"{path} has {text.count(old)} times: {old}")
        file.write_text(text.replace(old, new))
    return f"{target}:{Path(__file__).resolve().parents[2]}"
