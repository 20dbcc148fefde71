"""What decides the tests, and the code replaces, takes away or chooses: the evidence is weaker."""

import pytest
from tests.verification.conftest import Run
from tests.verification.test_evidence import reasons

from planish.data.tests import PytestFile

TAKEN = "the code took a function of the tests out of a container of theirs"
BESIDE = "the code put an object of its own beside those of the tests in a container"
RUNNER = "the code called a function of the runner of the tests"

RIGHT = "def run(n): return n * n\ndef setup(*parts): pass\n"
WRONG = "def run(n): return 0\n"
SAME = "def same(a, b): return a == b\n"
SETTERS = {
    "an item of a UserDict": (
        (
            "from collections import UserDict\nchecks = UserDict(same=lambda a, b: a == b)\n"
            "setup(checks)\nassert checks['same'](run(3), 9)"
        ),
        "def setup(checks): checks['same'] = lambda a, b: True",
        {TAKEN, BESIDE},
    ),
    "an item that is deleted": (
        (
            "from collections import UserList\nchecks = UserList([lambda n: n == 9])\n"
            "setup(checks)\nassert all(check(run(3)) for check in checks)"
        ),
        "def setup(checks): del checks[0]",
        {TAKEN},
    ),
    "a bound method of a dict": (
        (
            "checks = {'same': lambda a, b: a == b}\nsetup(checks.__setitem__)\n"
            "assert checks['same'](run(3), 9)"
        ),
        "def setup(put): put('same', lambda a, b: True)",
        {TAKEN, BESIDE},
    ),
    "a dict that was filled": (
        (
            "checks = {'same': lambda a, b: a == b}\nsetup(checks.update)\nsetup(checks.update)\n"
            "assert checks['same'](run(3), 9)"
        ),
        (
            "def setup(put, done=[]):\n    if not done: put({n: n for n in range(999)})\n"
            "    else: put({'same': lambda a, b: True})\n    done.append(1)"
        ),
        {TAKEN, BESIDE},
    ),
    "bound methods of a list": (
        (
            "checks = [lambda a, b: a == b]\nsetup(checks.pop, checks.append)\n"
            "assert checks[0](run(3), 9)"
        ),
        "def setup(take, put): take(); put(lambda a, b: True)",
        {TAKEN, BESIDE},
    ),
    "a method that sets an attribute": (
        (
            "class Box:\n    def __init__(self): self._same = lambda a, b: a == b\n"
            "    def use(self, same): self._same = same\n"
            "    def same(self, a, b): return self._same(a, b)\n"
            "box = Box()\nsetup(box)\nassert box.same(run(3), 9)"
        ),
        "def setup(box): box.use(lambda a, b: True)",
        {TAKEN},
    ),
    "a property": (
        (
            "class Box:\n    @property\n    def same(self): return self._same\n"
            "    @same.setter\n    def same(self, same): self._same = same\n"
            "box = Box()\nbox.same = lambda a, b: a == b\nsetup(box)\nassert box.same(run(3), 9)"
        ),
        "def setup(box): box.same = lambda a, b: True",
        {TAKEN},
    ),
    "a slot": (
        (
            "class Box:\n    __slots__ = ('same',)\nbox = Box()\nbox.same = lambda a, b: a == b\n"
            "setup(box)\nassert box.same(run(3), 9)"
        ),
        "def setup(box): box.same = lambda a, b: True",
        {TAKEN},
    ),
    "a function that sets a global name": (
        (
            "same = lambda a, b: a == b\ndef use(other):\n    global same\n    same = other\n"
            "setup(use)\nassert same(run(3), 9)"
        ),
        "def setup(use): use(lambda a, b: True)",
        {TAKEN},
    ),
    "a function that sets a name around it": (
        (
            "def make():\n    same = lambda a, b: a == b\n"
            "    def use(other):\n        nonlocal same\n"
            "        same = other\n    return use, lambda *parts: same(*parts)\n"
            "use, same = make()\nsetup(use)\nassert same(run(3), 9)"
        ),
        "def setup(use): use(lambda a, b: True)",
        {TAKEN},
    ),
    "a variable of a context": (
        (
            "from contextvars import ContextVar\nsame = ContextVar('same')\n"
            "same.set(lambda a, b: a == b)\nsetup(same)\nassert same.get()(run(3), 9)"
        ),
        "def setup(same): same.set(lambda a, b: True)",
        {TAKEN},
    ),
    "a queue": (
        (
            "from queue import Queue\nchecks = Queue()\nchecks.put(lambda a, b: a == b)\n"
            "setup(checks)\nassert checks.get()(run(3), 9)"
        ),
        "def setup(checks): checks.get(); checks.put(lambda a, b: True)",
        {TAKEN, BESIDE},
    ),
    "a mapping before another": (
        (
            "from collections import ChainMap\n"
            "checks = ChainMap({}, {'same': lambda a, b: a == b})\n"
            "setup(checks)\nassert checks['same'](run(3), 9)"
        ),
        "def setup(checks): checks['same'] = lambda a, b: True",
        {BESIDE},
    ),
    "a generic function": (
        (
            "from functools import singledispatch\n@singledispatch\ndef same(a, b): return False\n"
            "@same.register\ndef _(a: int, b): return a == b\n"
            "setup(same.register)\nassert same(run(3), 9)"
        ),
        "def setup(register): register(int)(lambda a, b: True)",
        {TAKEN, BESIDE},
    ),
}


@pytest.mark.parametrize("name", SETTERS)
def test_a_function_of_the_tests_that_is_replaced_by_another_way(run: Run, name: str) -> None:
    tests, setup, why = SETTERS[name]
    wrong = run(f"{WRONG}{setup}\n", tests=tests)
    assert {test.status for test in wrong.tests} == {"passed"}
    assert reasons(wrong) == why
    right = run(RIGHT, tests=tests)
    assert {test.status for test in right.tests} == {"passed"}
    assert reasons(right) == set()
    assert "passed" not in {
        test.status for test in run(f"{WRONG}{RIGHT.splitlines()[1]}", tests=tests).tests
    }


HONEST = {
    "plain data in a UserDict": (
        "from collections import UserDict\nrows = UserDict(b=2)\nadd(rows)\nassert rows['c'] == 3",
        "def add(rows): rows['c'] = 3",
    ),
    "a registry": (
        (
            "found = {}\ndef register(name):\n    return lambda f: found.setdefault(name, f)\n"
            "add(register)\nassert found['double'](4) == 8"
        ),
        "def add(register):\n    @register('double')\n    def double(n): return 2 * n",
    ),
    "events in a list": (
        "seen = []\nadd(seen.append)\nassert [one.name for one in seen] == ['a', 'b']",
        (
            "class Event:\n    def __init__(self, name): self.name = name\n"
            "def add(note): note(Event('a')); note(Event('b'))"
        ),
    ),
    "a clock that is called back": (
        (
            "class Clock:\n    def __init__(self): self.due = []; self.now = lambda: 5\n"
            "    def later(self, f): self.due.append(f)\n"
            "    def tick(self):\n        while self.due: self.due.pop(0)()\n"
            "clock, seen = Clock(), []\nadd(clock, seen)\nclock.tick()\nassert seen == [5]"
        ),
        "def add(clock, seen): clock.later(lambda: seen.append(clock.now()))",
    ),
    "a function of the tests among its own": (
        ("def double(n): return 2 * n\ntable = {'double': double}\nassert add(table.get) == 8"),
        "def add(get): return get('double')(4)",
    ),
    "generators of the tests, used to their end": (
        (
            "from math import sqrt\nK = [1, 2]\ndef some():\n    yield from K\nstarted = some()\n"
            "next(started)\nassert add(n * 1 for n in range(9)) == 36 and add(some()) == 3\n"
            "assert add(started) == 2 and add(sqrt(4) for _ in K) == 4"
        ),
        "add = sum",
    ),
    "a method of a test case": (
        (
            "import unittest\nclass TestAdd(unittest.TestCase):\n"
            "    def note(self, n): self.seen.append(n)\n"
            "    def test_add(self):\n        self.seen = []\n        add(self.note)\n"
            "        self.assertEqual(self.seen, [1])"
        ),
        "def add(note): note(1)",
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_the_code_puts_into_objects_of_the_tests_stays_isolated(run: Run, name: str) -> None:
    tests, code = HONEST[name]
    right = run(code, tests=tests)
    assert {test.status for test in right.tests} == {"passed"}
    assert reasons(right) == set()


@pytest.mark.parametrize(
    ("generator", "why"),
    [
        ("(same(n) for n in range(4))", {TAKEN}),
        ("(one(n) for n, one in [(0, same), (3, same)])", {TAKEN}),
        ("checks()", {TAKEN}),
        ("(n == 0 for n in range(3))", set[str]()),
    ],
)
def test_a_generator_of_checks_that_the_code_ends(run: Run, generator: str, why: set[str]) -> None:
    tests = (
        "def same(n): return run(n) == n * n\ndef checks():\n    yield 0\n"
        f"    assert run(3) == 9\nleft = {generator}\nnext(left)\nsetup(left)\n"
        "assert all(left) and run(0) == 0"
    )
    wrong = run(f"{WRONG}def setup(left): left.close()\n", tests=tests)
    assert {test.status for test in wrong.tests} == {"passed"}
    assert reasons(wrong) == why


CASE = "import unittest\nclass TestRun(unittest.TestCase):\n    def test_run(self):\n"
RUNNERS = {
    "an equality of a test case": (
        f"{CASE}        setup(self)\n        self.assertEqual(run(3), 9)",
        "def setup(case): case.addTypeEqualityFunc(int, lambda *parts, **more: None)",
    ),
    "its method": (
        f"{CASE}        setup(self.addTypeEqualityFunc)\n        self.assertEqual(run(3), 9)",
        "def setup(use): use(int, lambda *parts, **more: None)",
    ),
    "patch": (
        f"from unittest.mock import patch\n{SAME}setup(patch)\nassert same(run(3), 9)",
        "def setup(patch): patch('solution.same', lambda a, b: True).start()",
    ),
    "monkeypatch": (
        PytestFile(
            "import helper, solution\ndef test_run(monkeypatch):\n    solution.setup(monkeypatch)\n"
            "    assert helper.same(solution.run(3), 9)\n",
            files={"helper.py": SAME},
        ),
        "def setup(patch): patch.setattr('helper.same', lambda a, b: True)",
    ),
}


@pytest.mark.parametrize("name", RUNNERS)
def test_what_the_runner_of_the_tests_does_for_the_code(run: Run, name: str) -> None:
    tests, setup = RUNNERS[name]
    assert RUNNER in run(f"{WRONG}{setup}\n", tests=tests, seconds=60).weakened_by
    right = run(RIGHT, tests=tests, seconds=60)
    assert {test.status for test in right.tests} == {"passed"}
    assert RUNNER not in right.weakened_by


IN_PACKAGE = """
import solution
class Same:
    def __init__(self): self._wanted = 9
    def __call__(self, n): return n == self._wanted
def test_run():
    kinds = [Same]
    solution.setup(kinds)
    assert kinds[0]()(solution.run(3))
"""


def test_classes_of_tests_in_a_package_are_of_the_tests(run: Run) -> None:
    tests = PytestFile(IN_PACKAGE, filename="tests/test_run.py", files={"tests/__init__.py": ""})
    setup = "class Any:\n    def __call__(self, n): return True\n"
    wrong = run(f"{WRONG}{setup}def setup(kinds): kinds[0] = Any\n", tests=tests, seconds=60)
    assert {test.status for test in wrong.tests} == {"passed"}
    assert reasons(wrong) == {TAKEN, BESIDE}
    derived = "def setup(kinds):\n    kind = type('Mine', (kinds[0],), {})\n    kind()._wanted\n"
    for code in (RIGHT, RIGHT + derived):
        right = run(code, tests=tests, seconds=60)
        assert {test.status for test in right.tests} == {"passed"}
