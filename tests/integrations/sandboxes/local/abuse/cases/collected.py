"""What is brought back of a run: what the collector can be talked into."""

from tests.integrations.sandboxes.local.abuse.case import Case, canary, once
from tests.integrations.sandboxes.local.abuse.stage import Leak, Stage

__all__ = ["CASES", "MORE"]

LINKED_OUTPUTS = """
import os
from probe import *
os.symlink(HOST["canary"], "outputs/link")
os.symlink(HOST["pit"], "outputs/folder")
os.symlink(HOST["canary"], "asked")
os.symlink(HOST["pit"], "within")
show(done=True)
"""


SWAPPED_OUTPUTS_FOLDER = """
import os
from probe import *
os.rmdir("outputs")
os.symlink(HOST["pit"], "outputs")
show(done=True)
"""


ODD_OUTPUTS = """
import os
from probe import *
os.mkfifo("outputs/fifo")
os.mkfifo("asked")
attempt("device", lambda: os.mknod("outputs/device", 0o020644, os.makedev(1, 5)))
try:
    with open("outputs/sparse", "wb") as file:
        file.truncate(1 << 40)
except OSError:
    pass
for name in ("new\\nline", "\\x1b[31m", "a" * 255, "\\udcff", "-rf"):
    open("outputs/" + name, "w").write("odd")
show(done=True)
"""


DEEP = """
import os
from probe import *
os.chdir("outputs")
depth = 0
try:
    for depth in range(1, HOST["depth"] + 1):
        os.mkdir("d" * 50)
        os.chdir("d" * 50)
    open("deepest", "w").write("found")
except OSError as refused:
    show(refused=repr(refused))
show(depth=depth)
"""


SWAP = """
import os, time
from probe import *
if os.fork() == 0:
    os.setpgid(0, 0) if HOST["away"] else None
    name_me()
    for n in (0, 1, 2):
        os.close(n)
    while True:
        open("outputs/tmp", "w").write("plain")
        os.rename("outputs/tmp", "outputs/it")
        os.symlink(HOST["canary"], "outputs/tmp")
        os.rename("outputs/tmp", "outputs/it")
time.sleep(0.1)
show(done=True)
"""


def _odd(stage: Stage) -> Leak:
    ended = stage.run(ODD_OUTPUTS, outputs="outputs", collect=("asked",), limits={"seconds": 10})
    assert ended.error is None, ended.message
    kept = ended.artifacts
    assert stage.sandboxed or {"fifo", "sparse"} <= kept.keys()
    bad = [name for name in ("fifo", "device") if name in kept]
    if kept.get("sparse"):  # made, and refused its size, it is a plain file of nothing
        bad.append("sparse")
    if "asked" in ended.files or ended.seconds > 30:
        bad.append("asked")
    return f"collected: {bad}" if bad else stage.canary(ended)


def _deep(stage: Stage) -> Leak:
    depth = 20_000 if stage.sandboxed else 60  # so far, a careless collector comes too
    limits = {"files": 2_000, "seconds": 20}
    ended = stage.run(DEEP, outputs="outputs", facts={"depth": depth}, limits=limits)
    assert ended.error is None, ended.message
    if any("deepest" in name for name in ended.artifacts):
        return "what lies too deep was collected"
    reached = max((fact.get("depth", 0) for fact in ended.facts), default=0)
    return f"{reached} folders were made" if reached > 2_000 else None


def _swap(stage: Stage) -> Leak:
    for _ in range(3 if stage.sandboxed else 1):
        ended = stage.run(SWAP, outputs="outputs", facts={"away": not stage.sandboxed}, sweeps=300)
        leak = stage.canary(ended) or stage.survivors()
        if leak:
            return leak
    return None


CASES = (
    Case(
        number=10,
        title="links among what is collected",
        promise="files",
        play=once(LINKED_OUTPUTS, outputs="outputs", collect=("asked", "within/canary.txt")),
    ),
    Case(number=11, title="no files among what is collected", promise="disk", play=_odd),
    Case(number=12, title="folders in folders without end", promise="disk_total", play=_deep),
    Case(number=14, title="swapped while it is collected", promise="cleanup", play=_swap),
)
"""10, 11, 12 and 14 of the list."""

MORE = (
    Case(
        number=101,
        title="the outputs folder itself is a link",
        promise="files",
        play=once(SWAPPED_OUTPUTS_FOLDER, canary, outputs="outputs"),
    ),
)
"""What goes beyond the list."""
