"""What each rule refuses, and what it lets run."""

import ast

import pytest

from planish import Candidate, Task
from planish.rules import (
    DEFAULT_RULES,
    Rule,
    add_imports,
    forbid_calls,
    forbid_imports,
    forbid_network,
    forbid_paths,
    forbid_placeholders,
    limit_size,
)

NOTE = "TO" + "DO"  # what no file of this project has
REFUSED: dict[str, tuple[Rule, str, str]] = {
    "an import": (forbid_imports("os"), "import os", "line 1"),
    "an import of a part": (forbid_imports("os"), "from os.path import join", "os.path.join"),
    "an import in a function": (
        forbid_imports("os"),
        "def f():\n    import os as o\n    return o",
        "line 2",
    ),
    "an import by a call": (forbid_imports("os"), "__import__('os').getcwd()", "'os'"),
    "import_module": (forbid_imports("os"), "import importlib\nimportlib.import_module('os')", "2"),
    "a part from its package": (forbid_network(), "from urllib import request", "urllib.request"),
    "a socket": (forbid_network(), "import socket", "socket"),
    "requests": (forbid_network(), "try:\n    import requests\nexcept ImportError:\n    pass", "2"),
    "a call": (forbid_calls("eval"), "x = eval('1')", "eval()"),
    "a call of a module": (forbid_calls("os.remove"), "import os\nos.remove('a')", "line 2"),
    "a call by an alias": (forbid_calls("os.remove"), "import os as o\no.remove('a')", "os.remove"),
    "a call by its own name": (
        forbid_calls("shutil.rmtree"),
        "from shutil import rmtree as r\nr('a')",
        "shutil.rmtree",
    ),
    "a call by getattr": (forbid_calls("os.remove"), "import os\ngetattr(os, 'remove')('a')", "2"),
    "a call by __import__": (forbid_calls("os.system"), "__import__('os').system('ls')", "line 1"),
    "a whole module": (forbid_calls("subprocess.*"), "import subprocess\nsubprocess.run([])", "2"),
    "a method": (
        forbid_calls("pathlib.Path.unlink"),
        "from pathlib import Path\nPath('a').unlink()",
        "unlink()",
    ),
    "an absolute path": (forbid_paths(), "open('/etc/passwd')", "/etc/passwd"),
    "a home": (forbid_paths(), "import os\nos.listdir('~/x')", "~/x"),
    "a way out": (
        forbid_paths("/data"),
        "from pathlib import Path\nPath('/data/../etc')",
        "/data/..",
    ),
    "beside what is allowed": (forbid_paths("/data"), "open('/datax')", "/datax"),
    "an ellipsis": (forbid_placeholders(), "def g():\n    '''Do.'''\n    ...\nf = g", "'g'"),
    "NotImplementedError": (
        forbid_placeholders(),
        "def g():\n    raise NotImplementedError\nf = g",
        "'g'",
    ),
    "NotImplementedError with words": (
        forbid_placeholders(),
        "class C:\n    def g(self):\n        raise NotImplementedError('later')",
        "line 2",
    ),
    "an empty entry point": (forbid_placeholders(), "def f(x):\n    pass", "'f'"),
    "only words": (forbid_placeholders(), "def f(x):\n    '''Do it.'''", "'f'"),
    "a note": (
        forbid_placeholders(),
        f"def f(x):\n    return x  # {NOTE}: handle zero",
        "handle zero",
    ),
    "code to come": (forbid_placeholders(), "def f(x):\n    # your code here\n    return x", "2"),
    "the rest": (forbid_placeholders(), "x = 1\n# ... rest of the code", "rest of the code"),
    "too long": (limit_size(chars=10), "x = 1\n" * 3, "18 characters"),
}
LET_RUN: dict[str, tuple[Rule, str]] = {
    "another import": (forbid_imports("os"), "import osmium, json\nfrom . import os"),
    "a harmless part": (forbid_network(), "from urllib.parse import quote\nimport html"),
    "another call": (forbid_calls("os.remove"), "x = [1]\nx.remove(1)\nimport os\nos.getcwd()"),
    "a relative path": (forbid_paths(), "open('data/x.txt')\nopen(0)\nprint('/etc')"),
    "an allowed path": (forbid_paths("/data"), "open('/data/x')\nopen('/data')"),
    "an abstract method": (
        forbid_placeholders(),
        (
            "from abc import ABC, abstractmethod\nclass C(ABC):\n    @abstractmethod\n"
            "    def g(self): ...\n    def h(self):\n        raise NotImplementedError"
        ),
    ),
    "a protocol": (
        forbid_placeholders(),
        "from typing import Protocol\nclass P(Protocol):\n    def g(self) -> int: ...",
    ),
    "an overload": (
        forbid_placeholders(),
        "import typing\n@typing.overload\ndef g(x: int) -> int: ...\ndef g(x): return x",
    ),
    "a base class": (
        forbid_placeholders(),
        (
            "class A:\n    def g(self):\n        raise NotImplementedError\nclass B(A):\n"
            "    def g(self):\n        return 1"
        ),
    ),
    "a signature before the function": (
        forbid_placeholders(),
        "def f(x):\n    ...\n\ndef f(x):\n    return x",
    ),
    "a helper that nothing uses": (
        forbid_placeholders(),
        "def g(x):\n    ...\n\ndef f(x):\n    return x",
    ),
    "a hook": (forbid_placeholders(), "class A:\n    def g(self):\n        pass"),
    "words about it": (
        forbid_placeholders(),
        f"x = '# {NOTE}: no'\n# the {NOTE.lower()} list of the user",
    ),
    "a raise in a branch": (
        forbid_placeholders(),
        "def f(x):\n    if x:\n        raise NotImplementedError\n    return 1",
    ),
    "enough": (limit_size(chars=10), "x = 1"),
    "what does not parse": (forbid_imports("os"), "import os os"),
}


def issues(rule: Rule, code: str, **files: str) -> list[str]:
    task = Task("Do it.", entry_point="f")
    found = rule(Candidate(task=task, code=code, files={f"{n}.py": t for n, t in files.items()}))
    return [one if isinstance(one, str) else one.issue for one in found]


@pytest.mark.parametrize(("rule", "code", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_a_rule_refuses(rule: Rule, code: str, words: str) -> None:
    (issue,) = issues(rule, code)
    assert words in issue


@pytest.mark.parametrize(("rule", "code"), LET_RUN.values(), ids=LET_RUN.keys())
def test_a_rule_lets_run(rule: Rule, code: str) -> None:
    assert issues(rule, code) == []


def test_other_files_are_read_too() -> None:
    (issue,) = issues(forbid_imports("os"), "import helper", helper="import os")
    assert issue.startswith("helper.py, line 1")
    assert issues(limit_size(files=1), "x", a="", b="") == [
        "the code has 2 files: at most 1 are allowed"
    ]


@pytest.mark.parametrize("code", ["(" * 100_000, "x = 1\0", "x = '\ud800'", "", "-" * 50_000 + "1"])
def test_hostile_code_is_read_without_an_error(code: str) -> None:
    rules: tuple[Rule, ...] = (
        *DEFAULT_RULES,
        forbid_network(),
        forbid_calls("eval"),
        forbid_paths(),
    )
    for rule in rules:
        list(rule(Candidate(task=Task("Do it."), code=code)))


def test_code_of_another_language_is_not_read() -> None:
    candidate = Candidate(task=Task("Do it.", language="bash"), code=f"import os  # {NOTE}: x")
    assert [*forbid_imports("os")(candidate), *forbid_placeholders()(candidate)] == []


ADDED = [
    ("f = math.ceil", "import math\nf = math.ceil"),
    ('"""Doc."""\nf = math.ceil', '"""Doc."""\nimport math\nf = math.ceil'),
    (
        "from __future__ import annotations\nf = np.pi + math.pi",
        "from __future__ import annotations\nimport math\nimport numpy as np\nf = np.pi + math.pi",
    ),
]
KEPT = [
    "import math\nf = math.ceil",
    "def f(math):\n    return math.x",
    "f = 1",
    "f = math.(",
    "x = 'math.pi'",
]


@pytest.mark.parametrize(("code", "after"), ADDED)
def test_missing_imports_are_added_once(code: str, after: str) -> None:
    add = add_imports("math", np="numpy")
    once = add(Candidate(task=Task("Do it."), code=code))
    assert once.code == after
    assert add(once) == once
    ast.parse(once.code)


@pytest.mark.parametrize("code", KEPT)
def test_nothing_else_is_changed(code: str) -> None:
    candidate = Candidate(task=Task("Do it."), code=code)
    assert add_imports("math", np="numpy")(candidate) is candidate


def test_rules_are_values() -> None:
    assert forbid_imports("os") == forbid_imports("os") != forbid_imports("re")
    assert repr(forbid_paths("/data")) == "forbid_paths('/data')"
    assert repr(add_imports("math", np="numpy")) == "add_imports('math', np='numpy')"
