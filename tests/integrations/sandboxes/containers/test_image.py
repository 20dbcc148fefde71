"""The Dockerfile of an environment: all that its specification names, and no more."""

from typing import Any

import pytest

from planish_integrations.environments import EnvSpec
from planish_integrations.sandboxes.containers._image import recipe

APT = "RUN apt-get update && apt-get install -y --no-install-recommends"
INSTALL = "RUN python3 -m pip install --no-cache-dir"
BOUNDS = "RUN printf '%s\\n' 'b<3' > /tmp/constraints.txt && python3 -m pip install --no-cache-dir"


@pytest.mark.parametrize(
    ("fields", "lines"),
    [
        ({}, []),
        ({"env": ("A", "B")}, ["ARG A", "ARG B"]),
        ({"commands": ("echo one", "echo two")}, ["RUN echo one", "RUN echo two"]),
        (
            {"system_packages": ("gcc", "a b")},
            [f"{APT} 'a b' gcc && rm -rf /var/lib/apt/lists/*"],
        ),
        ({"requirements": ("a",)}, [f"{INSTALL} --only-binary :all: a"]),
        ({"requirements": ("a>1",), "wheels_only": False}, [f"{INSTALL} 'a>1'"]),
        (
            {"requirements": ("a", "b"), "constraints": ("b<3",), "wheels_only": False},
            [f"{BOUNDS} --constraint /tmp/constraints.txt a b"],
        ),
        (
            {"requirements": ("a",), "sources": ("http://1", "http://2"), "wheels_only": False},
            [f"{INSTALL} --index-url http://1 --extra-index-url http://2 a"],
        ),
        ({"constraints": ("b<3",), "sources": ("http://1",), "wheels_only": False}, []),
    ],
)
def test_each_field_has_its_line(fields: dict[str, Any], lines: list[str]) -> None:
    spec = EnvSpec(base_image="base:1", **fields)
    assert recipe(spec).splitlines() == ["FROM base:1", *lines]


def test_the_image_of_its_python_is_the_base() -> None:
    assert recipe(EnvSpec(python="3.12.1")) == "FROM docker.io/library/python:3.12.1-slim\n"
