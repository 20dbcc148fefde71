"""The statements and functions of test code that are checks."""

import ast

import pytest

from planish.data.tests.checks import find_checks
from planish.errors import TaskError


def checks_of(code: str) -> list[tuple[str, int, int | None, tuple[int, ...]]]:
    return [(c.name, c.line, c.statement, c.asserts) for c in find_checks(ast.parse(code)).expected]


def names(code: str) -> list[str]:
    return [check.name for check in find_checks(ast.parse(code)).expected]


def test_asserts_at_the_top_are_checks_and_the_rest_is_setup() -> None:
    code = "import math\nx = f(1)\nassert x == 1\nseed(0)\nassert (\n    f(2)\n    == 2\n), 'two'\n"
    assert checks_of(code) == [
        ("assert x == 1", 3, 2, ()),
        ("assert f(2) == 2, 'two'", 5, 4, ()),
    ]


def test_a_check_knows_the_asserts_it_reaches() -> None:
    code = """
def helper(f):
    assert f(0) == 0

async def later(f):
    assert f(3) == 3

def check(candidate):
    helper(candidate)
    assert candidate(1) == 1
    assert candidate(2) == 2

check(f)
asyncio.run(later(f))
for test in [helper, check]:
    test(f)
"""
    assert checks_of(code) == [
        ("check(f)", 13, 3, (3, 10, 11)),
        ("asyncio.run(later(f))", 14, 4, (6,)),
        ("for test in [helper, check]: test(f)", 15, 5, (3, 10, 11)),
    ]


@pytest.mark.parametrize(
    "code",
    [
        "assert_equal(f(1), 2)",
        "np.testing.assert_allclose(f(1), 2)",
        "verify(f)",
        "if f(1) != 2:\n    raise AssertionError('one')",
        "for n in range(3):\n    assert f(n)",
        "with pytest.raises(ValueError):\n    f(1)\n    assert True",
        "try:\n    f(1)\nexcept ValueError:\n    pass\nelse:\n    raise AssertionError",
    ],
)
def test_a_statement_that_asserts_is_one_check(code: str) -> None:
    assert len(names(code)) == 1


@pytest.mark.parametrize(
    "code", ["", "x = 1", "f(1)", "print(f(1))", "def f():\n    assert 1", "import x"]
)
def test_code_that_asserts_nothing_has_no_checks(code: str) -> None:
    assert names(code) == []


def test_functions_and_classes_that_nobody_uses_are_collected() -> None:
    code = """
def test_one(): assert f(1)
async def test_two(): assert f(2)
class A(unittest.TestCase):
    def test_a(self): pass
    async def test_b(self): pass
    def helper(self): pass
class B(A):
    def test_c(self): pass
class Other:
    def test_d(self): pass
"""
    inherited = ["B.test_a", "B.test_b", "B.test_c"]
    assert names(code) == ["test_one", "test_two", "A.test_a", "A.test_b", *inherited]
    assert {check.statement for check in find_checks(ast.parse(code)).expected} == {None}
    assert names(code + "unittest.main()") == names(code)
    assert names(code + "assert f(3)") == ["assert f(3)", *names(code)]


def test_methods_that_a_class_inherits_are_collected() -> None:
    code = """
class Mixin:
    def test_a(self): pass
    def test_b(self): pass
class Base(unittest.TestCase):
    def test_c(self): pass
    def test_a(self): pass
class A(Mixin, Base):
    test_b = None
    def test_d(self): pass
del Base
"""
    assert [(name, line) for name, line, *_ in checks_of(code)] == [
        ("A.test_c", 6),
        ("A.test_a", 3),
        ("A.test_d", 10),
    ]


def test_functions_that_checks_use_are_not_collected_again() -> None:
    code = """
def test_inner(): assert f(1)
def test_outer(): test_inner()
def test_left(): assert f(2)
test_outer()
"""
    assert names(code) == ["test_outer()", "test_left"]
    listed = "def test_a(): assert f(1)\ndef test_b(): assert f(2)\nfor t in (test_a, test_b): t()"
    assert len(names(listed)) == 1


def test_classes_that_the_code_runs_itself_are_not_collected_again() -> None:
    code = """
class A(unittest.TestCase):
    def test_a(self): pass
result = unittest.main(exit=False).result
assert result.wasSuccessful()
"""
    assert names(code) == ["assert result.wasSuccessful()"]


@pytest.mark.parametrize(
    "run",
    [
        "unittest.TestLoader().loadTestsFromTestCase(case)",
        "defaultTestLoader.loadTestsFromName('A')",
        "unittest.makeSuite(case)",
        "unittest.TestSuite()",
        "unittest.TextTestRunner().run(suite)",
        "main()",
    ],
)
def test_a_class_is_not_collected_beside_code_that_runs_classes(run: str) -> None:
    code = f"class A(unittest.TestCase):\n    def test_a(self): pass\n{run}\nassert done\n"
    assert "A.test_a" not in names(code)
    assert "A.test_a" in names(code.replace(run, "other()"))


@pytest.mark.parametrize("word", ["assert_it", "checkAll", "run_test", "Verify", "expected"])
def test_a_call_that_is_named_like_an_assertion_is_a_check(word: str) -> None:
    assert names(f"{word}(f(1))") == [f"{word}(f(1))"]
    assert names(f"m.{word}(f(1))") == [f"m.{word}(f(1))"]
    assert names(f"def {word}(x): pass\n{word}(f(1))") == []


@pytest.mark.parametrize("arguments", ["a", "a, /", "*, a", "a=1, *, b=2, c"])
def test_a_function_with_arguments_is_no_test(arguments: str) -> None:
    code = f"assert f(1)\ndef test_a({arguments}): assert a"
    assert names(code) == ["assert f(1)"]
    for optional in ("*args, **more", "a=1", "a=1, /, *, b=2"):
        assert names(f"def test_a({optional}): assert f(1)") == ["test_a"]
    for decorator in ("patch('m.g')", "given(integers())", "pytest.mark.slow\n@patch('m.g')"):
        assert "test_a" in names(code.replace("def", f"@{decorator}\ndef"))


@pytest.mark.parametrize(
    "test",
    [
        "def test_a(capsys): assert f(1)",
        "@pytest.mark.parametrize('a', [1])\ndef test_a(a): assert f(a)",
        "@pytest.fixture\ndef made(): return 1\ndef test_a(made): assert f(made)",
    ],
)
def test_a_function_that_only_pytest_can_call_is_refused(test: str) -> None:
    code = f"assert f(1)\n{test}\n"
    with pytest.raises(TaskError, match=r"line \d .*'test_a' takes fixtures.*PytestFile"):
        names(code)
    assert "test_a(1)" in names(f"{code}test_a(1)")


def test_a_test_class_that_only_pytest_finds_is_refused() -> None:
    code = "class Other: pass\nclass TestMore:\n    def test_a(self): assert f(1)\n"
    with pytest.raises(TaskError, match=r"line 2 .*'TestMore' .*no unittest.TestCase.*PytestFile"):
        names(f"{code}assert f(2)")
    assert names(f"{code}assert f(TestMore)") == ["assert f(TestMore)"]
    derived = f"{code}class Real(TestMore, TestCase): pass\nassert f(2)"
    assert names(derived) == ["assert f(2)", "Real.test_a"]


@pytest.mark.parametrize(
    ("setup", "count"),
    [
        *(("x = verify()", 0), ("x += verify()", 0), ("x: int = verify()", 0)),
        *(("del verify()[0]", 0), ("import verify", 0), ("from a import check", 0)),
        *(("if x: verify()", 1), ("while verify(): pass", 1)),
    ],
)
def test_an_assignment_is_setup_whatever_it_calls(setup: str, count: int) -> None:
    assert len(names(f"{setup}\nassert f(1)")) == 1 + count


def test_the_main_block_counts_as_if_it_stood_at_the_top() -> None:
    code = """
def test_a(): assert f(1)
def test_b(): assert f(2)
if __name__ == "__main__":
    x = 1
    test_a()
    test_b()
assert f(3)
"""
    assert checks_of(code) == [
        ("test_a()", 6, 3, (2,)),
        ("test_b()", 7, 4, (3,)),
        ("assert f(3)", 8, 5, ()),
    ]
    assert names("if __name__ == '__main__':\n    pass\nelse:\n    assert f(1)") == [
        "if __name__ == '__main__': pass else: assert f(1)"
    ]


def test_functions_that_call_one_another_end() -> None:
    code = "def a():\n    b()\ndef b():\n    a()\n    assert f(1)\na()"
    assert checks_of(code) == [("a()", 6, 2, (5,))]
    ladder = "".join(f"def c{n}():\n    c{n + 1}()\n    c{n + 1}()\n" for n in range(60))
    assert checks_of(ladder + "def c60(): assert f(1)\nc0()") == [("c0()", 182, 61, (181,))]


def test_a_name_is_one_line_and_bounded() -> None:
    (check,) = find_checks(ast.parse(f"assert f(1) == {'x' * 300!r}")).expected
    assert len(check.name) == 120
    assert check.name.endswith("...")
    deep = "assert f(1) == " + "1 + " * 900 + "1"
    (check,) = find_checks(ast.parse(deep)).expected
    assert check.name in ("line 1", check.name)
    assert len(check.name) <= 120
