"""Arrows point one way only; and the walk that says so can say otherwise."""

from pathlib import Path

import pytest
from tests.house.arrows import PACKAGES, ROOT, Tree
from tests.house.layers import LAYERS, layer_of
from tests.house.rules import violations


def test_no_import_breaks_the_table() -> None:
    found = list(violations(Tree(*PACKAGES)))
    assert not found, "\n".join(found)


def test_examples_import_public_names_only() -> None:
    examples = ROOT / "examples"
    found = [line for line in violations(Tree(*PACKAGES, examples)) if str(examples) in line]
    assert not found, "\n".join(found)


def test_the_table_points_down_only() -> None:
    for place, layer in enumerate(LAYERS):
        for used in layer.uses:
            below = layer_of(used)
            assert below is not None, f"{layer.name} uses {used}, which stands in no layer"
            assert LAYERS.index(below) < place, f"{layer.name} uses {used}, which is not below it"


def test_the_walk_sees_every_module() -> None:
    house = Tree(*PACKAGES)
    assert {"planish", "planish.data.task", "planish_integrations.models.openai"} <= set(
        house.files
    )
    assert len(list(house.arrows())) > 300


@pytest.mark.parametrize(
    ("module", "text", "said"),
    [
        (
            "planish.data.task",
            "from planish.runtime.primitive import Primitive",
            "planish.data may not",
        ),
        ("planish.data.task", "import planish.runtime.primitive", "planish.data may not"),
        ("planish.data.task", "from planish import Retry", "planish.data may not"),
        ("planish.data.task", "from ..base import Primitive", "planish.data may not"),
        ("planish.errors", "from planish.data.task import Task", "planish.errors may not"),
        (
            "planish.telemetry.logs",
            "from planish.runtime.primitive import In",
            "planish.telemetry may not",
        ),
        (
            "planish.runtime.primitive",
            "import planish.combinators.race as r",
            "planish.runtime may not",
        ),
        (
            "planish.runtime.primitive",
            "if TYPE_CHECKING:\n    from planish.combinators.race import Race",
            "planish.runtime may not",
        ),
        (
            "planish.runtime.primitive",
            "def f():\n    def g():\n        from planish.combinators.race import Race",
            "planish.runtime may not",
        ),
        (
            "planish.runtime.primitive",
            "import importlib\nimportlib.import_module('planish.combinators.race')",
            "planish.runtime may not",
        ),
        ("planish.combinators.retry", "from planish.combinators.race import Race", "siblings"),
        ("planish.combinators.retry", "from planish.combinators import race", "siblings"),
        ("planish.combinators.retry", "from .race import Race", "siblings"),
        (
            "planish.combinators.retry",
            "from planish_integrations.models.openai import OpenAIModel",
            "planish.combinators may not",
        ),
        ("planish.testing.kit", "from planish import Task", "planish.testing may not"),
        ("planish.runtime.primitive", "import httpx", "does not list the package httpx"),
        ("planish.runtime.primitive", "import asyncio", "does not list the package asyncio"),
        ("planish.context.scope", "from opentelemetry.sdk import trace", "opentelemetry.sdk"),
        ("planish.context.scope", "from opentelemetry import sdk", "opentelemetry.sdk"),
        ("planish.other", "import re", "in no layer"),
        ("planish_integrations.new", "import re", "in no layer"),
        (
            "planish_integrations.models.openai._model",
            "from planish_integrations.sandboxes.local import LocalSandbox",
            "planish_integrations.models.openai may not",
        ),
        (
            "planish_integrations.models.openai._model",
            "from planish.runtime.primitive import Primitive",
            "planish_integrations.models.openai may not",
        ),
        (
            "planish_integrations.models.openai._model",
            "import e2b",
            "does not list the package e2b",
        ),
        (
            "planish_integrations.models.openai._model",
            "from planish.data._private import Record",
            "private",
        ),
        (
            "planish_integrations.models.openai._model",
            "from planish import secret",
            "not in its __all__",
        ),
        (
            "planish_integrations.cli",
            "from planish_integrations.sandboxes.local._sandbox import LocalSandbox",
            "private",
        ),
        ("examples.loop", "from examples.race import main", "siblings"),
        ("examples.loop", "from planish_integrations.cli import main", "examples may not"),
    ],
)
def test_a_wrong_arrow_is_found(tmp_path: Path, module: str, text: str, said: str) -> None:
    found = list(violations(_tree(tmp_path, module, text)))
    assert len(found) == 1
    assert said in found[0]
    assert module in found[0]


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("planish.data.task", "import re\nfrom planish.errors import TaskError"),
        ("planish.errors", "from planish.data.report import Report"),
        ("planish.combinators.retry", "from planish.runtime.branches import run_branch"),
        ("planish.testing.telemetry", "from opentelemetry.sdk.trace import TracerProvider"),
        ("planish_integrations.models.openai._model", "from planish import Retry"),
        ("planish_integrations.models.openai._model", "from planish.data.task import Task"),
        (
            "planish_integrations.models.openai._model",
            "from planish_integrations.models.openai import _chat",
        ),
        ("planish_integrations.models.openai._model", "from . import _chat"),
        (
            "planish_integrations.cli",
            "from planish_integrations.sandboxes.local import LocalSandbox",
        ),
        ("examples.loop", "from planish_integrations.sandboxes.local import LocalSandbox"),
    ],
)
def test_a_right_arrow_is_not(tmp_path: Path, module: str, text: str) -> None:
    assert list(violations(_tree(tmp_path, module, text))) == []


_AROUND = {
    "planish/__init__.py": '__all__ = ["Retry"]\nsecret = 1\n',
    "planish/runtime/primitive.py": "",
    "planish/data/__init__.py": "",
    "planish/data/_private.py": '__all__ = ["Record"]',
    "planish/data/task.py": '__all__ = ["Task"]',
    "planish/combinators/__init__.py": "",
    "planish/combinators/race.py": '__all__ = ["Race"]',
    "planish_integrations/models/openai/__init__.py": '__all__ = ["OpenAIModel"]',
    "planish_integrations/models/openai/_chat.py": "",
    "planish_integrations/sandboxes/local/__init__.py": '__all__ = ["LocalSandbox"]',
}


def _tree(root: Path, module: str, text: str) -> Tree:
    """A small house, with one module more."""
    for name, body in (_AROUND | {f"{module.replace('.', '/')}.py": text}).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    return Tree(*root.iterdir())
