"""Statements outside of tests that only call the code: what it has then printed or written."""

import pytest
from tests.verification.conftest import Run

CODE = """
def say(n): print(n * n)
def save(n):
    with open('out.txt', 'w') as file: file.write(str(n * n))
def call(function): call.kept = function
def fire(n): call.kept(n * n)
"""
EFFECTS = {
    "what it prints to a stream": """
out = io.StringIO()
sys.stdout = out
say(7)
sys.stdout = sys.__stdout__
assert out.getvalue() == '49\\n'
""",
    "what it prints to a stream without a name": """
sys.stdout = io.StringIO()
say(7)
out = sys.stdout.getvalue()
sys.stdout = sys.__stdout__
assert out == '49\\n'
""",
    "a file": "save(7)\nassert open('out.txt').read() == '49'",
    "a file by its path": (
        "save(7)\ntext = pathlib.Path('out.txt').read_text()\nassert text == '49'"
    ),
    "what it calls later": "seen = []\ncall(seen.append)\nfire(7)\nassert seen == [49]",
}
IMPORTS = "import io, pathlib, sys\n"


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("more", ["", "import threading\nthreading.active_count()\n"])
def test_what_a_call_has_done_is_evidence(run: Run, effect: str, more: str) -> None:
    tests = IMPORTS + more + EFFECTS[effect]
    assert [test.status for test in run(CODE, tests=tests).tests] == ["passed"]
    wrong = run(CODE.replace("n * n", "n"), tests=tests)
    assert [test.status for test in wrong.tests] == ["failed"]


@pytest.mark.parametrize("call", ["", "say(7)\n"])
def test_what_no_call_can_have_done_is_none(run: Run, call: str) -> None:
    tests = f"{IMPORTS}{call}assert 1 + 1 == 2"
    assert [test.status for test in run(CODE, tests=tests).tests] == ["no_evidence"]


def test_what_was_printed_without_a_call_is_none(run: Run) -> None:
    tests = EFFECTS["what it prints to a stream"].replace("say(7)", "print(49)")
    assert [test.status for test in run(CODE, tests=IMPORTS + tests).tests] == ["no_evidence"]
