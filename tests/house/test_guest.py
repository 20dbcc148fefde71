"""The rules of the guest: who imports it, and which Python must understand it."""

import ast

import pytest
from tests.house.arrows import PACKAGES, ROOT, Tree
from tests.house.guest import GUEST, LOWEST

FOLDER = ROOT / "primitives" / "planish" / "guest"
PROTOCOL = "planish.guest.protocol"


def test_every_room_has_a_layer_and_a_lowest_python() -> None:
    rooms = {path.name for path in FOLDER.iterdir() if path.is_dir() and path.name[0] != "_"}
    assert rooms == set(LOWEST)
    assert {f"planish.guest.{room}" for room in rooms} < {layer.name for layer in GUEST}


@pytest.mark.parametrize("room", LOWEST)
def test_the_lowest_python_understands_it(room: str) -> None:
    for path in (FOLDER / room).rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=LOWEST[room])


def test_the_host_imports_nothing_of_it_but_the_protocol() -> None:
    wrong = [
        str(arrow)
        for arrow in Tree(*PACKAGES).arrows()
        if not arrow.source.startswith("planish.guest")
        and arrow.target.startswith("planish.guest")
        and arrow.target != PROTOCOL
    ]
    assert wrong == []
