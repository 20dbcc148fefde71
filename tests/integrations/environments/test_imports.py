"""Which distributions a source needs, without running it or asking anyone."""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planish_integrations.environments import imports_of
from planish_integrations.environments._known_modules import KNOWN_MODULES
from planish_integrations.environments._requirements import canonical_name, parse_requirement


def needed(code: str) -> list[str]:
    """The first choice for each import, in one spelling."""
    return [canonical_name(one.distributions[0]) for one in imports_of(code)]


@pytest.mark.parametrize(
    ("code", "distributions"),
    [
        ("import yaml", ["pyyaml"]),
        ("from PIL import Image", ["pillow"]),
        ("import sklearn.linear_model as lm, cv2", ["scikit-learn", "opencv-python-headless"]),
        ("from bs4 import BeautifulSoup\nfrom dateutil.parser import parse",
         ["beautifulsoup4", "python-dateutil"]),
        ("def f():\n    import numpy\n    class A:\n        import zmq", ["numpy", "pyzmq"]),
        ("import importlib\nimportlib.import_module('yaml')", ["pyyaml"]),
        ("__import__('yaml.nodes')", ["pyyaml"]),
        ("from google.protobuf import message", ["protobuf"]),
        ("from google.cloud import storage", ["google-cloud-storage"]),
        ("import google.auth.transport", ["google-auth"]),
        ("import azure.identity", ["azure-identity"]),
        ("import made_up_thing.part", ["made-up-thing"]),
        ("import yaml, yaml\nfrom yaml import nodes", ["pyyaml"]),
    ],
)  # fmt: skip
def test_an_import_is_mapped_to_its_distribution(code: str, distributions: list[str]) -> None:
    assert needed(code) == distributions


@pytest.mark.parametrize(
    "code",
    [
        "import os, json.decoder\nfrom xml.etree import ElementTree\nimport __main__, _thread",
        "from . import sibling\nfrom ..above import that\nfrom .x.y import z",
        "import importlib\nimportlib.import_module('.part', __package__)",
        "import_module(name)\nimport_module('not a name')",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy",
        "import typing as t\nif t.TYPE_CHECKING:\n    import numpy",
        "text = 'import numpy'  # import pandas",
        "import (",
        "\x00import numpy",
        "x = " + "(" * 5000,
        "",
    ],
)
def test_python_and_the_program_itself_need_no_distribution(code: str) -> None:
    assert imports_of(code) == ()


def test_every_module_of_python_is_left_out() -> None:
    code = "\n".join(f"import {name}" for name in sorted(sys.stdlib_module_names))
    assert imports_of(code) == ()


@pytest.mark.parametrize(
    ("code", "optional"),
    [
        ("try:\n    import yaml\nexcept ImportError:\n    yaml = None", True),
        ("try:\n    import json\nexcept (ValueError, ModuleNotFoundError):\n    import yaml", True),
        ("try:\n    import yaml\nexcept:\n    pass", True),
        ("import contextlib\nwith contextlib.suppress(ImportError):\n    import yaml", True),
        ("with reported(ImportError):\n    import yaml", False),
        ("with suppress as all_of_them:\n    import yaml", False),
        ("import pytest\nyaml = pytest.importorskip('yaml')", True),
        ("try:\n    import yaml\nexcept ValueError:\n    pass", False),
        ("try:\n    pass\nexcept ImportError:\n    pass\nelse:\n    import yaml", False),
        ("try:\n    pass\nexcept ImportError:\n    pass\nfinally:\n    import yaml", False),
        ("try:\n    import yaml\nexcept ImportError:\n    pass\nimport yaml", False),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    import yaml", False),
    ],
)
def test_an_import_that_may_fail_is_told_apart(code: str, optional: bool) -> None:  # noqa: FBT001
    [found] = [one for one in imports_of(code) if one.module == "yaml"]
    assert found.optional is optional


def test_files_of_the_program_are_no_distributions() -> None:
    files = {
        "main.py": b"import helper, package.part, folder.deep, numpy\n",
        "helper.py": b"",
        "package/__init__.py": b"",
        "folder/deep.py": b"import beside\nimport yaml\n",
        "folder/beside.py": b"",
        "data.txt": b"import pandas",
    }
    assert [(one.module, one.file, one.line) for one in imports_of(files)] == [
        ("numpy", "main.py", 1),
        ("yaml", "folder/deep.py", 2),
    ]


def test_how_a_distribution_was_found_is_said() -> None:
    code = "import anyio\nimport skimage\nimport made_up"
    assert [one.origin for one in imports_of(code)] == ["installed", "table", "name"]


@pytest.mark.parametrize(
    ("code", "module", "distributions"),
    [
        ("import google.made_up.thing", "google.made_up.thing", ("google-made-up-thing",)),
        ("import made_up.thing", "made_up", ("made_up",)),
        ("import google.cloud.storage.blob", "google.cloud.storage", ("google-cloud-storage",)),
    ],
)
def test_a_module_of_a_shared_package_is_named_whole(
    code: str, module: str, distributions: tuple[str, ...]
) -> None:
    [found] = imports_of(code)
    assert (found.module, found.distributions) == (module, distributions)


def test_the_table_is_well_formed() -> None:
    for module, names in KNOWN_MODULES.items():
        assert all(part.isidentifier() for part in module.split("."))
        assert names, module
        assert all(parse_requirement(name).name == canonical_name(name) for name in names)


def test_a_source_beyond_all_measure_is_left_to_the_sandbox() -> None:
    assert imports_of("import yaml\n" + "#" * 50_000_000) == ()


@given(st.text())
def test_any_text_has_imports_or_none(text: str) -> None:
    for found in imports_of(text):
        assert found.distributions


def test_the_recorded_replies_name_what_they_need(shared_data: Callable[[str], Path]) -> None:
    """No model is asked; names of PyPI are counted in replies of real models."""
    counted: Counter[str] = Counter()
    with gzip.open(shared_data("replay/dev/codet.jsonl.gz"), "rt") as lines:
        for line in lines:
            for found in imports_of("def f():\n" + json.loads(line)["completion"]):
                counted.update(map(canonical_name, found.distributions))
    differing = {
        "beautifulsoup4": 5,
        "djangorestframework": 5,
        "flask-sqlalchemy": 2,
        "google-api-python-client": 2,
        "google-auth": 2,
        "kafka-python": 1,
        "opencv-python-headless": 12,
        "pillow": 8,
        "pyyaml": 3,
        "scikit-learn": 14,
    }
    named = {"django": 45, "matplotlib": 33, "numpy": 59, "pandas": 19, "torch": 22}
    expected = differing | named
    assert {name: counted[name] for name in expected} == expected
    assert not counted.keys() & sys.stdlib_module_names
    assert sum(counted.values()) > 350
