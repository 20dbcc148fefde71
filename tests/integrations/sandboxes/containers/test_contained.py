"""Programs in containers that bubblewrap makes, with the real supervisor as process 1."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.integrations.sandboxes.containers import bwrap_engine
from tests.integrations.sandboxes.containers.ours import python

from planish.data.program import Completed
from planish_integrations.containers import ContainerSandbox
from planish_integrations.environments import EnvSpec

pytestmark = pytest.mark.anyio


async def shown(contained: ContainerSandbox, source: str, **fields: object) -> Completed:
    """Run a program that has to end well."""
    completed = await contained.run(python(source, **fields))
    assert completed.ok, completed
    return completed


async def test_no_other_process_of_the_run_reaches_the_results(contained: ContainerSandbox) -> None:
    source = """
import ctypes, glob, os, site, sys
fd = int(os.environ['PLANISH_RESULTS_FD'])
os.set_inheritable(fd, False)
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # as whatever reports has to: no process may look into it
os.write(fd, b'true')
first = os.getpid()
if os.fork() == 0:
    os.close(fd)
    ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)
    for pid in {str(first), '1', str(os.getppid())}:
        for path in [f'/proc/{pid}/fd', f'/proc/{pid}/map_files', f'/proc/{pid}/mem']:
            try:
                open(path).read() if path.endswith('mem') else os.listdir(path)
                print('read', path)
            except OSError:
                pass
        for number in range(64):
            try:
                os.write(os.open(f'/proc/{pid}/fd/{number}', os.O_WRONLY), b'forged')
                print('opened', pid, number)
            except OSError:
                pass
    for folder in [*sys.path[1:], *site.getsitepackages(), sys.prefix]:
        try:
            open(os.path.join(folder, 'forged.py'), 'w')
            print('wrote', folder)
        except OSError:
            pass
    os._exit(0)
print(os.wait()[1])
"""
    completed = await shown(contained, source, results=True)
    assert (completed.stdout, completed.results) == (b"0\n", b"true")
    assert "results" in completed.guarantees


async def test_of_the_system_packages_a_program_names_the_allowed_ones_are_installed(
    contained: ContainerSandbox, tmp_path: Path
) -> None:
    engine = tmp_path / "docker"
    recording = engine.read_text().replace(
        "exec ", f'test "$1" = build && cat > {tmp_path}/recipe\nexec ', 1
    )
    engine.write_text(recording)
    allowing = ContainerSandbox(
        engine=str(engine), image="none", system_packages=("graphviz", "gcc", "make")
    )
    program = replace(python("print(1)"), system_packages=("nmap", "graphviz", "gcc"))
    assert (await allowing.run(program)).installed == ("graphviz", "gcc")
    recipe = (tmp_path / "recipe").read_text()
    assert recipe.startswith("FROM none\n")
    assert "apt-get install -y --no-install-recommends gcc graphviz &&" in recipe
    (tmp_path / "recipe").unlink()
    assert (await contained.run(program)).installed == ()
    assert (await allowing.run(python("print(1)"))).installed == ()
    assert not (tmp_path / "recipe").exists()


async def test_system_packages_of_the_environment_are_there(tmp_path: Path) -> None:
    if not bwrap_engine.works():
        pytest.skip("bubblewrap is not here, or cannot make namespaces")
    spec = EnvSpec(system_packages=("libgomp1",))
    sandbox = ContainerSandbox(engine=bwrap_engine.install(tmp_path), spec=spec)
    program = replace(python("print(1)"), system_packages=("libgomp1", "nmap"))
    assert (await sandbox.run(program)).installed == ("libgomp1",)


def test_one_text_is_no_collection_of_system_packages() -> None:
    with pytest.raises(ValueError, match="system_packages='gcc'"):
        ContainerSandbox(engine="/bin/true", system_packages="gcc")
