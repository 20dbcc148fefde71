"""What a program finds in a container that bubblewrap makes, and what comes back of its files."""

import ast
from typing import Any

import pytest
from tests.integrations.sandboxes.containers.ours import python

from planish.data.program import Program, ResourceLimits
from planish_integrations.containers import ContainerSandbox

pytestmark = pytest.mark.anyio


async def value(contained: ContainerSandbox, expression: str, **fields: Any) -> Any:
    """The value of an expression inside."""
    source = f"import os, resource, signal, sys\nprint(repr({expression}))"
    completed = await contained.run(python(source, **fields))
    assert completed.ok, completed
    return ast.literal_eval(completed.stdout.decode())


async def test_it_sees_these_variables_and_its_own(contained: ContainerSandbox) -> None:
    env = {"OWN": "1", "PYTHONHASHSEED": "7"}
    assert await value(contained, "dict(os.environ)", env=env) == {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/planish/tmp",
        "TMPDIR": "/planish/tmp",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "7",
        "OWN": "1",
    }
    assert await value(contained, "os.environ['PYTHONHASHSEED']") == "0"


async def test_it_has_its_arguments_files_and_folder(contained: ContainerSandbox) -> None:
    program = python(
        "import os, sys\n"
        "print(sys.argv, os.getcwd(), sorted(os.listdir('.')), open('a/b').read(), "
        "os.path.isdir('out/put'), sorted(os.listdir('/planish')))",
        args=("x", "y z"),
        outputs="out/put",
    )
    program = Program(
        main=program.main,
        files={**program.files, "a/b": b"deep"},
        args=program.args,
        outputs=program.outputs,
    )
    completed = await contained.run(program)
    assert completed.stdout.decode() == (
        "['main.py', 'x', 'y z'] /planish/work ['a', 'main.py', 'out'] deep True ['tmp', 'work']\n"
    )


async def test_each_process_has_its_limits(contained: ContainerSandbox) -> None:
    limits = ResourceLimits(memory_mb=300, file_bytes=1_000_000)
    names = "RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_CORE"
    found = await value(
        contained, f"[resource.getrlimit(getattr(resource, n)) for n in {names}]", limits=limits
    )
    assert found == [(300 << 20, 300 << 20), (1_000_000, 1_000_000), (0, 0)]
    assert await value(contained, "open('/proc/self/oom_score_adj').read()") == "1000\n"
    assert await value(contained, "os.fstat(0).st_mode & 0o7777") == 0o444
    assert await value(contained, "(os.getsid(0) == os.getpid(), os.getppid())") == (True, 1)


async def test_what_is_left_comes_back(contained: ContainerSandbox) -> None:
    source = """
import os
os.makedirs('out/deep')
for name in ('out/b', 'out/a', 'out/deep/c', 'kept', 'exact'):
    open(name, 'wb').write({'exact': b'x' * 100}.get(name, name.encode()))
os.symlink('/etc/passwd', 'out/file'); os.symlink('/etc', 'out/folder'); os.mkfifo('out/pipe')
os.symlink('/etc', 'link')
"""
    limits = ResourceLimits(file_bytes=100)
    wanted = ("kept", "exact", "absent", "link/passwd", "out")
    program = python(source, collect=wanted, outputs="out", limits=limits)
    completed = await contained.run(program)
    assert completed.ok, completed
    assert completed.files == {"kept": b"kept", "exact": b"x" * 100}
    assert completed.artifacts == {"b": b"out/b", "a": b"out/a", "deep/c": b"out/deep/c"}
    assert completed.findings == tuple(
        f"outputs: {name!r} was left out: it is a {kind}"
        for name, kind in {
            "file": "symbolic link",
            "folder": "symbolic link",
            "pipe": "named pipe",
        }.items()
    )


@pytest.mark.parametrize("count", [100, 101])
async def test_only_a_hundred_files_that_were_left_out_are_named(
    contained: ContainerSandbox, count: int
) -> None:
    source = f"import os\nfor n in range({count}): os.symlink('/', f'out/{{n}}')"
    completed = await contained.run(python(source, outputs="out"))
    last = "outputs: 'out' is incomplete: more files were left out"
    assert (len(completed.findings), completed.findings[-1] == last) == (count, count > 100)


@pytest.mark.parametrize(
    "end", ["os.rmdir('out')", "os.rename('out', 'in'); os.symlink('in', 'out')"]
)
async def test_a_folder_that_is_none_any_more_is_named(
    contained: ContainerSandbox, end: str
) -> None:
    completed = await contained.run(python(f"import os\n{end}", outputs="out"))
    [finding] = completed.findings
    assert finding.startswith("outputs: 'out' is incomplete: the folder cannot be read: ")
    assert completed.artifacts == {}


async def test_more_files_than_allowed_end_it(contained: ContainerSandbox) -> None:
    source = "for n in range({}): open(str(n), 'w').close()\nimport time; time.sleep(0.2)"
    limits = ResourceLimits(files=20)
    fits = await contained.run(python(source.format(19), limits=limits))
    over = await contained.run(python(source.format(30), limits=limits))
    assert (fits.limit, fits.ok, over.limit, over.ok) == (None, True, "files", False)


async def test_how_it_ended(contained: ContainerSandbox) -> None:
    for end, found in (
        ("sys.exit(3)", (3, None)),
        ("os.kill(os.getpid(), 15)", (None, 15)),
        ("pass", (0, None)),
    ):
        completed = await contained.run(python(f"import os, sys\n{end}"))
        assert (completed.exit_code, completed.signal) == found
        assert 0 < completed.duration < 60
        assert completed.isolation == "container"
        assert completed.sandbox_id is not None
        assert completed.sandbox_id.startswith("planish-")
