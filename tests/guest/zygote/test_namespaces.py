"""What the supervisor of a run sees of its namespaces."""

import os
from typing import Any, cast

import pytest
from tests.guest.linux.children import OTHER, attempt, in_namespaces, numbered

from planish.guest.linux import calls, namespaces
from planish.guest.zygote._namespaces import Namespaces


def test_the_first_process_is_not_one_of_the_program() -> None:
    """Its reaped children count for it already: what they have used would count twice."""
    other = OTHER if os.geteuid() == 0 else None
    if numbered(lambda: attempt(lambda: calls.unshare(calls.CLONE_NEWUSER)), other).value != "ok":
        pytest.skip("no user namespaces here")

    def act() -> object:
        namespaces.new_root([])
        tier = Namespaces(cast("Any", {"search": "", "preload": []}))
        found = [tier.list_processes()]
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(writer)
            os.read(reader, 1)
            os._exit(0)
        found.append(tier.list_processes())
        os.close(writer)
        os.waitpid(child, 0)
        return os.getpid(), [pids == [child] for pids in found], found[0]

    assert in_namespaces(act, other) == [1, [False, True], []]
