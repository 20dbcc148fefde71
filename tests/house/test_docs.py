"""Documentation is run: every block of README and docs, every example of a docstring."""

import doctest
import importlib
import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import get_args

import pytest
from tests.house.arrows import PACKAGES, ROOT, Tree
from tests.house.blocks import Block, blocks, run

import planish.events
import planish.stop
from planish.data import Report, ResourceLimits, Tests
from planish.runtime.primitive import Primitive

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").rglob("*.md"))]
HOUSE = Tree(*PACKAGES)
EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)
WITH_EXAMPLES = [
    module
    for module, path in HOUSE.files.items()
    if EXAMPLE.search(path.read_text(encoding="utf-8"))
]
# The info string of a Python block: no more than the language and, maybe, a caption.
PYTHON = re.compile(r'python( title="[^"]*")?')
OTHER = ("bash", "console", "json", "mermaid", "text", "toml", "yaml")
# The target of a link, where it is a path and no address; without its anchor.
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)")
# What readers' own keys and servers are found by; documentation must do without.
KEYS = re.compile(r"_API_KEY$|_BASE_URL$|^(ANTHROPIC|E2B|GEMINI|OLLAMA|OPENAI|OTEL|PLANISH)_")


def subclasses(base: type, modules: str) -> list[str]:
    """The public classes of a kind that modules with this prefix define."""
    found = [importlib.import_module(name) for name in HOUSE.files if name.startswith(modules)]
    return [
        name
        for module in found
        for name in module.__all__
        if isinstance(kind := getattr(module, name), type) and issubclass(kind, base)
        if kind.__module__ == module.__name__ and kind is not base
    ]


# What each page has to name: whoever adds one is reminded of its page.
NAMED: Mapping[str, list[str]] = {
    "data": [kind.__name__ for kind in get_args(Tests)],
    "errors-and-limits": subclasses(planish.stop.Stop, "planish.stop."),
    "primitives": subclasses(Primitive, "planish.combinators."),
    "reports": [field.name for field in fields(Report)],
    "sandbox": [field.name for field in fields(ResourceLimits)],
    "telemetry": subclasses(planish.events.Event, "planish.data.events"),
    "verdicts": [kind.__name__ for kind in get_args(Tests)],
}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No keys, no way out but to this machine, and an empty folder to write in."""
    for name in [name for name in os.environ if KEYS.search(name)]:
        monkeypatch.delenv(name)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.chdir(tmp_path)


def test_there_is_a_readme_with_its_two_commands() -> None:
    text = README.read_text(encoding="utf-8")
    for marker in ("<!-- first command -->", "<!-- test command -->"):
        fenced = rf"^{marker}\n```console\n(\$ .+\n)+```$"
        assert re.search(fenced, text, re.MULTILINE), marker


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_python_block_runs(page: Path) -> None:
    # In the loop that readers have in `python -m asyncio`; what is shown is tested in both.
    run([block for block in blocks(page) if is_python(block)], backend="asyncio")


def test_no_python_block_is_left_out() -> None:
    found = [block for page in PAGES for block in blocks(page)]
    assert [f"{b.path}:{b.line}: {b.info!r}" for b in found if _left_out(b)] == []


@pytest.mark.parametrize("page", NAMED)
def test_a_page_names_every_one_of_its_kind(page: str) -> None:
    words = re.findall(r"\w+", (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8"))
    assert NAMED[page]  # there are some
    assert sorted({*NAMED[page]} - {*words}) == []


def test_every_link_to_a_file_leads_to_one() -> None:
    links = [(page, target) for page in PAGES for target in LINK.findall(page.read_text("utf-8"))]
    assert len(links) > 30  # the pattern finds them
    assert [(p, target) for p, target in links if not (p.parent / target).exists()] == []


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_every_docstring_example_is_true(module: str) -> None:
    found = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize("info", ["", "python no-run", "python3", "py", "Python", "pycon", "sh"])
def test_python_under_another_name_is_seen(info: str) -> None:
    assert _left_out(Block(README, 1, info, "from planish import Retry\n"))


@pytest.mark.parametrize(
    ("info", "text"),
    [("python", "import re"), ("text", "import re"), ("", "a >> b"), ("console", "$ pytest")],
)
def test_what_is_run_or_is_no_python_is_not(info: str, text: str) -> None:
    assert not _left_out(Block(README, 1, info, text))


def is_python(block: Block) -> bool:
    return PYTHON.fullmatch(block.info) is not None


def _left_out(block: Block) -> bool:
    """It is Python, or looks so, and is not run."""
    if is_python(block) or block.info in OTHER:
        return False
    return block.info.lower().startswith("py") or _does_something(block.text)


def _does_something(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<block>", "exec", flags=0, dont_inherit=True)
    except SyntaxError:
        return False
    return re.search(r"^(import|from|def|async|class|\w+ =) ", text, re.MULTILINE) is not None
