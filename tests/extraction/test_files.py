"""Replies of several files, in the forms that models use."""

import json

import pytest
from tests.extraction.samples import fence, lines

from planish.extraction import extract

MAIN = "from helper import add\n\n\ndef f(x):\n    return add(x, 1)"
HELPER = "def add(a, b):\n    return a + b"


FILES = [("helper.py", HELPER), ("main.py", MAIN)]
BLOCKS = {
    "beside the fence": "```python {path}\n{code}\n```",
    "beside the fence, with a colon": "```python:{path}\n{code}\n```",
    "for a tag": "```{path}\n{code}\n```",
    "as a title": '```python title="{path}"\n{code}\n```',
    "as an attribute": '```{{.python filename="{path}"}}\n{code}\n```',
    "bold above": "**{path}**\n\n```python\n{code}\n```",
    "bold with a colon above": "**{path}:**\n```python\n{code}\n```",
    "a heading above": "### `{path}`\n\n```python\n{code}\n```",
    "a numbered heading above": "## 1. {path}\n```python\n{code}\n```",
    "a label above": "File: {path}\n```python\n{code}\n```",
    "a sentence above": "Create the file `{path}`:\n\n```python\n{code}\n```",
    "a bare path above": "{path}\n```python\n{code}\n```",
    "in the first comment": "```python\n# {path}\n{code}\n```",
    "in a labelled comment": "```python\n# file: {path}\n{code}\n```",
}
ROWS = [{"path": path, "content": code} for path, code in FILES]
FORMS = {
    **{
        name: "\n".join(block.format(path=path, code=code) for path, code in FILES)
        for name, block in BLOCKS.items()
    },
    "a JSON object": fence(json.dumps({"files": dict(FILES)}), "json"),
    "a JSON list": fence(json.dumps({"files": ROWS}, indent=1), "json"),
}


def test_a_bare_json_object_is_read() -> None:
    extracted = extract(json.dumps(dict(FILES)), entry_point="f")
    assert (extracted.code, extracted.files) == (MAIN, (("helper.py", HELPER),))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("name", ["f", None])
def test_each_form_of_several_files_is_read(form: str, name: str | None) -> None:
    extracted = extract(f"Here are the files.\n\n{form}\n\nThat is all.", entry_point=name)
    assert extracted.problem is None
    assert extracted.code.endswith(MAIN)
    assert extracted.path == "main.py"
    ((path, content),) = extracted.files
    assert path == "helper.py"
    assert content.endswith(HELPER)
    assert extracted.findings == ()


def test_a_main_file_without_a_path_keeps_what_it_imports() -> None:
    reply = lines("**helper.py**", fence(HELPER), "The solution:", fence(MAIN))
    extracted = extract(reply, entry_point="f")
    assert (extracted.code, extracted.path) == (MAIN, None)
    assert extracted.files == (("helper.py", HELPER),)


def test_a_later_correction_of_a_helper_is_used() -> None:
    better = HELPER.replace("a + b", "b + a")
    blocks = [f"**{path}**\n{fence(code)}" for path, code in (*FILES, ("helper.py", better))]
    extracted = extract(lines(*blocks), entry_point="f")
    assert extracted.code == MAIN
    assert extracted.files == (("helper.py", better),)
    assert "'helper.py' twice" in extracted.findings[0]


def test_a_correction_without_a_path_completes_the_code() -> None:
    wrong = HELPER.replace("a + b", "a - b")
    code = "def f(x):\n    return add(x, 1)"
    reply = lines(fence(wrong), fence(code), "A correction of the helper:", fence(HELPER))
    assert extract(reply, entry_point="f").code == f"{HELPER}\n\n{code}"


def test_the_same_file_twice_with_the_same_content_is_no_finding() -> None:
    blocks = [f"**{path}**\n{fence(code)}" for path, code in (*FILES, FILES[0])]
    assert extract(lines(*blocks), entry_point="f").findings == ()


@pytest.mark.parametrize(
    "path", ["../up.py", "/etc/up.py", "a/../../up.py", "json.py", "Main.py", "a" * 300 + ".py"]
)
def test_a_hostile_path_is_kept_as_it_is(path: str) -> None:
    blocks = [f"```python {one}\n{code}\n```" for one, code in (*FILES, (path, "x = 1"))]
    assert dict(extract(lines(*blocks), entry_point="f").files)[path] == "x = 1"


def test_folders_and_data_are_files_too() -> None:
    reply = lines(
        *("`pkg/__init__.py`:", fence("# empty")),
        *("`pkg/core.py`:", fence(HELPER)),
        *("`data/rates.json`:", fence('{"code": "x"}', "json")),
        *(
            ".\\pkg\\solution.py",
            fence("from pkg.core import add\n\ndef f(x):\n    return add(x, 1)"),
        ),
    )
    extracted = extract(reply, entry_point="f")
    assert extracted.path == "pkg/solution.py"
    assert [path for path, _ in extracted.files] == [
        "pkg/__init__.py",
        "pkg/core.py",
        "data/rates.json",
    ]


@pytest.mark.parametrize(
    "reply",
    [
        f"**solution.py**\n{fence(HELPER)}",
        f"```python solution.py\n{HELPER}\n```",
        lines(fence(HELPER), "Save it as `solution.py` and run it:", fence("python x.py", "bash")),
        lines("Version 2.0 of it:", fence(HELPER), "Example in Node.js:", fence("add(1, 2)")),
        lines("For example, e.g.:", fence(HELPER)),
    ],
)
def test_one_program_has_no_other_files(reply: str) -> None:
    extracted = extract(reply, entry_point="add")
    assert (extracted.code, extracted.files) == (HELPER, ())


def test_only_a_helper_changes_the_previous_files() -> None:
    better = HELPER.replace("a + b", "b + a")
    extracted = extract(
        f"**helper.py**\n{fence(better)}",
        entry_point="f",
        previous=MAIN,
        previous_files=[("helper.py", HELPER), ("other.py", "x = 1")],
    )
    assert extracted.code == MAIN
    assert dict(extracted.files) == {"helper.py": better, "other.py": "x = 1"}


def test_ten_thousand_files_are_read() -> None:
    blocks = [f"```python m{number}.py\nx = {number}\n```" for number in range(10_000)]
    extracted = extract(lines(*blocks, fence(MAIN)), entry_point="f")
    assert len(extracted.files) == 10_000


def test_files_of_another_language() -> None:
    reply = lines(
        "**lib.js**",
        fence("exports.add = (a, b) => a + b;", "js"),
        "**main.js**",
        fence("const { add } = require('./lib');\nconsole.log(add(1, 2));", "js"),
    )
    extracted = extract(reply, language="javascript")
    assert extracted.path == "main.js"
    assert [path for path, _ in extracted.files] == ["lib.js"]
