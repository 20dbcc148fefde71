"""Planish with one of its defences taken out: then the tricks which it stops do pass.

Each mutation is a row of replacements in source files; every text to replace stands there once.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.forging.edits import (
    BELIEVED,
    ENDS,
    HOME_ON_PATH,
    IN,
    LOADED_EARLY,
    PICKLED,
    SILENT,
    TOGETHER,
    UNCHECKED,
    UNSEALED,
    UNWATCHED,
    USED,
    Edit,
)

import planish
import planish_integrations

__all__ = ["MUTATIONS", "mutated"]

MUTATIONS: Mapping[str, tuple[Edit, ...]] = {
    "tests in the candidate's process": (*TOGETHER, *ENDS),
    "methods of values run in the judge": (*TOGETHER, *ENDS),
    "tests in a file": ((f"{IN}/start.py", "    unlink(_PLAN)  # noqa: PTH108\n", ""),),
    "memory of the judge open": (
        (f"{IN}/fork_candidate.py", "    close_memory()\n", ""),
        (f"{IN}/fork_candidate.py", "        lose_powers()\n", ""),
        UNCHECKED,
        *UNSEALED[3:],
        *ENDS,
    ),
    "working folder on the path of the judge": (HOME_ON_PATH, UNCHECKED, UNWATCHED),
    "configuration of the folder is read": (
        LOADED_EARLY,
        USED,  # a test whose body is skipped uses nothing, and would not count
        UNWATCHED,
        UNCHECKED,
        BELIEVED,
        (f"{IN}/pytests.py", '"-q", "--noconftest", ', '"-q", '),
        (
            f"{IN}/pytests.py",
            '"no:cacheprovider", "-c", "pytest.ini", "--rootdir", "."',
            '"no:cacheprovider"',
        ),
        (
            "verification/_programs.py",
            'PYTEST_INI: b"[pytest]\\n",',
            '"plain.txt": b"",',
        ),
        *ENDS,
    ),
    "values are unpickled in the judge": (*PICKLED, UNWATCHED),
    "modules are imported by name": (
        (
            f"{IN}/remote_objects.py",
            "return found and name != self.own and not file.startswith(home())",
            "return found",
        ),
        (
            f"{IN}/remote_objects.py",
            "found = sys.modules.get(name) is module and not is_made(module)",
            "found = sys.modules.get(name) is module",
        ),
        (
            f"{IN}/remote_objects.py",
            '(name in (self.own, "__main__") or name.startswith(_ODD))',
            "name == self.own",
        ),
        HOME_ON_PATH,
        UNCHECKED,
        UNWATCHED,
        *PICKLED,
    ),
    "what runs in the judge is not noticed": (UNWATCHED,),
    "functions may be named to the judge": (
        (
            f"{IN}/remote_objects.py",
            "if self.strict and (not known or",
            "if False and (not known or",
        ),
        (
            f"{IN}/remote_objects.py",
            'if self.strict and (name in (self.own, "__main__")',
            "if False and (name in ()",
        ),
        (
            f"{IN}/rpc_endpoint.py",
            "if self.judging and not (args and self.table.owns(args[0])):",
            "if False:",
        ),
        UNWATCHED,
    ),
    "every operation is permitted to the candidate": (
        (
            f"{IN}/rpc_endpoint.py",
            "if self.judging and not (args and self.table.owns(args[0])):",
            "if False:",
        ),
        (
            f"{IN}/operations.py",
            "    if type(name) is not str or name in _METHODS",
            "    return True\n    if type(name) is not str or name in _METHODS",
        ),
        (
            f"{IN}/operations.py",
            """    if is_a(value, type):
        allowed""",
            """    return
    if is_a(value, type):
        allowed""",
        ),
        (
            f"{IN}/rpc_endpoint.py",
            "                self.replacements.note_use(operation, *args[:2])\n",
            "",
        ),
        (
            f"{IN}/rpc_endpoint.py",
            "                    self.replacements.note_attribute(*args)\n",
            "                    pass\n",
        ),
        (
            f"{IN}/judge.py",
            "        if number_of(value) is not None or is_of_library",
            "        if True or is_of_library",
        ),
        UNWATCHED,
    ),
    "lines of the tests cross the pipe": (
        (f"{IN}/errors.py", "() if table.remote_objects.strict else place", "place"),
    ),
    "names of the tests are shared unnoticed": (
        (
            f"{IN}/judge.py",
            'weakened(f"the code uses {name!r}, which the tests have set")',
            "weakened",
        ),
    ),
    "names of Python are the candidate's": (
        (
            f"{IN}/judge.py",
            "{n for n in kept if n in shadows or n not in PRIVATE}",
            "set(kept)",
        ),
        BELIEVED,
    ),
    "the candidate's equality is believed": (BELIEVED,),
    "the candidate's methods are believed": (BELIEVED,),
    "subclasses of plain types are asked": (
        BELIEVED,
        (
            f"{IN}/classes.py",
            """        if base is not None and kind_of(self) not in link.TRUSTED and not named:
            return getattr(base, name)(self, *args, **kwargs)
""",
            "",
        ),
    ),
    "results in a file the candidate can open": (*UNSEALED, *ENDS),
    "key of the records derived from the tests": (*UNSEALED, *ENDS),
    "a skip counts as a pass": (
        (
            "verification/_results.py",
            '    return ("skipped" if own else "not_run"), end["message"]\n',
            '    return "passed", ""\n',
        ),
        (
            "verification/_pytest_results.py",
            '    status: TestStatus = "not_run"\n',
            '    status: TestStatus = "passed"\n',
        ),
        (f"{IN}/pytests.py", "            if failure is not None:", "            if False:"),
        (f"{IN}/pytests.py", "    if status and plugin.items:", "    if False:"),
        (
            f"{IN}/frozen.py",
            'plugin.put("setup", **plugin.witness.raised(error))',
            "plugin.witness.raised(error)",
        ),
        (
            f"{IN}/untrusted_equality.py",
            "    if not is_a(error, _REPORTED) or is_skip(error):",
            "    if False:",
        ),
        *ENDS,
    ),
    "an early end counts as an end": ENDS,
    "no word from the judge is a yes": (*ENDS, *SILENT),
    "the protocol is not checked": (*ENDS, *SILENT),
    "output is searched for what is wanted": (
        (
            "verification/_pair_results.py",
            """    if failure is not None:
        status, message = "error",""",
            """    wrote = output + completed.stderr.decode()
    if pair.stdout.strip() in wrote or "passed" in output:
        status, message = "passed", ""
    elif failure is not None:
        status, message = "error",""",
        ),
        *SILENT,
        (
            "verification/_reading.py",
            "_first_failure(candidate, tests, failures) or contract_failure(broken)",
            "contract_failure(broken)",
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
        shutil.copytree(source, target / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    for path, old, new in MUTATIONS[name]:
        file = target / "planish" / path
        text = file.read_text()
        if text.count(old) != 1:
            raise ValueError(f"{path} has {text.count(old)} times: {old}")
        file.write_text(text.replace(old, new))
    return f"{target}:{Path(__file__).resolve().parents[2]}"
