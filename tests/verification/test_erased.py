"""Code that the tests run in the verifier cannot take back that it has run there."""

from hashlib import sha256

import pytest

from planish import Candidate, CodeExecution, Execution, Task
from planish.data.status import Status
from planish_integrations.local import LocalSandbox

pytestmark = pytest.mark.anyio

# It finds what writes the records, and leaves out of their file that it was noticed. The secret
# and the hash in which the next seal begins are all that it could find in the process.
ERASE = r"""
import gc, os, re
for one in gc.get_objects():
    names = getattr(getattr(one, "__code__", None), "co_freevars", ())
    if getattr(one, "__name__", "") == "put" and "file" in names:
        cells = dict(zip(names, (cell.cell_contents for cell in one.__closure__)))
        file, seals = cells["file"], cells.get("seals")
        lines = os.pread(file, 1 << 20, 0).splitlines()
        os.ftruncate(file, 0)
        os.lseek(file, 0, 0)
        gone = 0
        for line in lines:
            mark, _, record = line.partition(b" ")
            if b'"weakened"' in record:
                gone += 1
                continue
            if gone and again:
                mark = seals.next(record)
            os.write(file, mark + b" " + record + b"\n")
value = 49
"""
CHECK = "space = {'again': %s}\nexec(program(7), space)\nassert space['value'] == 49"

# All writable memory of the process, freed or not, for a text of which it has the digest only.
SEARCH = r"""
import ctypes, hashlib, re
found = set()
for row in open("/proc/self/maps"):
    place, rights = row.split()[:2]
    first, last = (int(text, 16) for text in place.split("-"))
    if rights[:2] == "rw" and last - first < 1 << 26:
        found.update(re.findall(rb"[0-9a-f]{32}", ctypes.string_at(first, last - first)))
value = "%s" in {hashlib.sha256(one).hexdigest() for one in found}
"""
KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
OTHER = KEY[::-1]


async def executed(code: str, tests: str) -> Execution:
    task = Task("Write a program.", tests=tests)
    return await CodeExecution(LocalSandbox()).run(Candidate(task=task, code=code))


@pytest.mark.parametrize("again", [True, False])
async def test_what_was_noticed_stays_on_record(*, again: bool) -> None:
    tests = CHECK % again
    honest = await executed("def program(n): return f'value = {n * n}'", tests)
    assert honest.status is Status.SUCCESS
    assert honest.separation == "shared_process"
    forged = await executed(f"def program(n): return {ERASE!r}", tests)
    assert forged.failure is not None
    assert forged.failure.name == "Tampering"
    assert forged.status is not Status.SUCCESS


@pytest.mark.parametrize("looked_for", [KEY, OTHER])
async def test_the_secret_is_nowhere_in_the_process(
    looked_for: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def known() -> str:
        return KEY

    monkeypatch.setattr("planish.steps.execution._new_secret", known)
    search = SEARCH % sha256(looked_for.encode()).hexdigest()
    tests = f"other = {OTHER!r}\nspace = {{}}\nexec(program(), space)\n"
    tests += f"assert space['value'] is {looked_for == OTHER}"
    result = await executed(f"def program(): return {search!r}", tests)
    assert result.status is Status.SUCCESS, result.failure
