"""Edits and JSON objects are read as what they are, and are not run as programs."""

import json

import pytest
from tests.extraction.samples import CODE, OLD, fence, lines

from planish.extraction import extract

PREVIOUS = "import math\n\n\ndef g(x):\n    return math.floor(x)\n\n\ndef f(x):\n    return g(x)\n"
AFTER = PREVIOUS.replace("return g(x)", "return g(x) + 1")
UNIFIED = """--- a/solution.py
+++ b/solution.py
@@ -8,2 +8,2 @@
 def f(x):
-    return g(x)
+    return g(x) + 1"""
EDITS = {
    "a unified diff": fence(UNIFIED, "diff"),
    "a unified diff tagged Python": fence(UNIFIED),
    "a unified diff without a tag": fence(UNIFIED, ""),
    "a unified diff without a fence": UNIFIED,
    "wrong numbers": fence(UNIFIED.replace("-8,2 +8,2", "-1,2 +1,2"), "diff"),
    "no numbers": fence("@@\n def f(x):\n-    return g(x)\n+    return g(x) + 1", "diff"),
    "no header": fence(" def f(x):\n-    return g(x)\n+    return g(x) + 1", "diff"),
    "git's": fence(f"diff --git a/solution.py b/solution.py\nindex 1..2 100644\n{UNIFIED}", "diff"),
    "search and replace": fence(
        "<<<<<<< SEARCH\n    return g(x)\n=======\n    return g(x) + 1\n>>>>>>> REPLACE"
    ),
    "search and replace without a fence": (
        "solution.py\n<<<<<<< SEARCH\n    return g(x)\n=======\n    return g(x) + 1\n"
        ">>>>>>> REPLACE"
    ),
    "a patch": fence(
        "*** Begin Patch\n*** Update File: solution.py\n@@ def f(x):\n-    return g(x)\n"
        "+    return g(x) + 1\n*** End Patch",
        "",
    ),
    "blanks at line ends": fence(UNIFIED.replace("def f(x):", "def f(x):  "), "diff"),
}
DATA = [
    json.dumps({"code": CODE}),
    json.dumps({"explanation": "It adds one.", "code": CODE}, indent=2),
    json.dumps({"solution": fence(CODE)}),
    json.dumps({"name": "submit", "arguments": {"source_code": CODE}}),
    json.dumps([{"type": "text", "text": "So."}, {"type": "code", "code": CODE}]),
    '{"code": "' + CODE + '"}',  # with a line end in its text, which JSON does not allow
]


@pytest.mark.parametrize("reply", EDITS.values(), ids=EDITS.keys())
def test_an_edit_is_applied_to_the_code_before(reply: str) -> None:
    extracted = extract(f"Sure, here it is.\n\n{reply}\n", entry_point="f", previous=PREVIOUS)
    assert extracted.problem is None
    assert extracted.code == AFTER


@pytest.mark.parametrize("reply", EDITS.values(), ids=EDITS.keys())
@pytest.mark.parametrize("previous", ["", "def h(x):\n    return 1\n"])
def test_an_edit_that_fits_nothing_is_not_run(reply: str, previous: str) -> None:
    extracted = extract(reply, entry_point="f", previous=previous)
    if extracted.problem is None:  # its new lines are a program
        assert previous == ""
        assert extracted.code.replace(":  ", ":") == "def f(x):\n    return g(x) + 1"
        assert "unknown code" in extracted.findings[0]
    else:
        assert (extracted.code, extracted.problem) == ("", "edit_failed")


def test_an_edit_may_be_of_code_in_the_same_reply() -> None:
    reply = lines("What you have:", fence(PREVIOUS), "The change:", EDITS["a unified diff"])
    assert extract(reply, entry_point="f").code.strip() == AFTER.strip()


def test_whole_code_after_an_edit_is_the_answer() -> None:
    reply = lines("The change:", EDITS["a unified diff"], "All of it:", fence(CODE))
    assert extract(reply, entry_point="f", previous=PREVIOUS).code == CODE


def test_an_example_after_an_edit_is_not_the_answer() -> None:
    reply = lines(EDITS["a unified diff"], "Then:", fence("print(f(1))"))
    assert extract(reply, entry_point="f", previous=PREVIOUS).code == AFTER


def test_an_edit_that_does_not_fit_the_code_of_its_reply_is_left_out() -> None:
    reply = lines(fence(CODE), EDITS["a unified diff"])
    extracted = extract(reply, entry_point="f")
    assert extracted.code == CODE
    assert "left out" in extracted.findings[0]


def test_several_edits_are_applied_in_order() -> None:
    first = "<<<<<<< SEARCH\nimport math\n=======\nimport math as m\n>>>>>>> REPLACE\n"
    second = (
        "<<<<<<< SEARCH\n    return math.floor(x)\n=======\n    return m.floor(x)\n>>>>>>> REPLACE"
    )
    code = extract(first + second, entry_point="f", previous=PREVIOUS).code
    assert code == PREVIOUS.replace("import math", "import math as m").replace(
        "math.floor", "m.floor"
    )


def test_edits_find_their_file() -> None:
    extracted = extract(
        EDITS["search and replace"],
        entry_point="h",
        previous="from solution_g import f\n\ndef h(x):\n    return f(x)\n",
        previous_files=[("other.py", "x = 1\n"), ("solution_g.py", PREVIOUS)],
    )
    assert extracted.problem is None
    assert dict(extracted.files) == {"other.py": "x = 1\n", "solution_g.py": AFTER}


@pytest.mark.parametrize("data", DATA)
def test_code_in_a_json_object_is_the_code(data: str) -> None:
    for reply in (data, fence(data, "json"), f"Here:\n{fence(data, '')}\nDone.", fence(data)):
        assert extract(reply, entry_point="f").code == CODE, reply
        assert extract(reply).code == CODE, reply


@pytest.mark.parametrize(
    "data",
    ['{"code": "42"}', '{"code": 1}', '{"a": [1, 2]}', '["code"]', '{"code": "Some words."}'],
)
def test_other_json_is_no_program(data: str) -> None:
    assert extract(fence(data, "json"), entry_point="f").code in ("", data)
    reply = lines(fence(CODE), "Example input:", fence(data, "json"))
    assert extract(reply, entry_point="f").code == CODE


def test_json_too_deep_to_read_is_no_code() -> None:
    assert extract('{"code": ' * 100_000, entry_point="f").problem == "no_code"


def test_a_diff_that_shows_the_change_does_not_hide_the_code() -> None:
    reply = lines(fence(OLD), "Changed:", fence("-    return x\n+    return x + 1", "diff"))
    assert extract(reply, entry_point="f").code == CODE
