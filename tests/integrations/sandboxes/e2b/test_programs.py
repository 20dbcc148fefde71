"""Programs at E2B: what the process inside the sandbox sees to."""

import shutil

import pytest
from tests.integrations.sandboxes.e2b.support import connected, dies, python

from planish import CodeExecution, Task, Validator
from planish.data.candidate import Candidate
from planish.data.program import Program, ResourceLimits
from planish.errors import UnsupportedError
from planish_integrations.testing.e2b import LoopbackE2B


@pytest.mark.anyio
async def test_what_left_the_session_of_its_program_is_killed(server: LoopbackE2B) -> None:
    source = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open('../../pid.txt', 'w').write(str(os.getpid()))
        for fd in (0, 1, 2): os.close(fd)
        time.sleep(600)
    os._exit(0)
while not os.path.exists('../../pid.txt') or not open('../../pid.txt').read(): time.sleep(0.01)
print(open('../../pid.txt').read())
"""
    async with connected(server) as sandbox:
        completed = await sandbox.run(python(source))
        assert completed.ok, completed.stderr
        assert dies(int(completed.stdout))


@pytest.mark.anyio
async def test_a_large_result_comes_back_whole(server: LoopbackE2B) -> None:
    source = "import os; open('big', 'wb').write(os.urandom(3_000_000)); print('x' * 900_000)"
    async with connected(server) as sandbox:
        completed = await sandbox.run(python(source, collect=("big",)))
        assert len(completed.files["big"]) == 3_000_000
        assert len(completed.stdout) == 900_001
        again = await sandbox.run(python("import os; print(os.listdir('../..'))"))
    assert b".out" not in again.stdout


@pytest.mark.anyio
async def test_a_program_cannot_answer_in_its_own_name(server: LoopbackE2B) -> None:
    # It writes to its own ancestors only: on loopback it sees all processes of this machine.
    source = """
import os
pid, written = os.getppid(), 0
while pid > 1:
    if b'.pyz' in open(f'/proc/{pid}/cmdline', 'rb').read():
        for fd in ('1', '2'):
            written += open(f'/proc/{pid}/fd/{fd}', 'w').write('forged inline eJw=\\n') > 0
    pid = int(open(f'/proc/{pid}/stat').read().rpartition(')')[2].split()[1])
print('forged inline eJw=')
raise SystemExit(3 if written else 'nothing to write to')
"""
    completed = await connected(server).run(python(source))
    assert completed.exit_code == 3
    assert completed.stdout == b"forged inline eJw=\n"


@pytest.mark.anyio
async def test_signals_and_artifacts_are_told(server: LoopbackE2B) -> None:
    source = """
import os, signal
open('out/report.txt', 'w').write('done'); os.symlink('/etc/passwd', 'out/link')
os.kill(os.getpid(), signal.SIGSEGV)
"""
    completed = await connected(server).run(python(source, outputs="out"))
    assert completed.signal == 11
    assert completed.exit_code is None
    assert completed.artifacts == {"report.txt": b"done"}
    assert any("link" in finding for finding in completed.findings)


@pytest.mark.anyio
async def test_memory_of_all_processes_together_is_limited(server: LoopbackE2B) -> None:
    source = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(os.urandom(1) * (60 << 20)); time.sleep(60)
time.sleep(60)
"""
    limits = ResourceLimits(memory_mb=200, seconds=50)
    completed = await connected(server).run(python(source, limits=limits))
    assert completed.limit == "memory_mb"


@pytest.mark.anyio
async def test_other_languages_run_as_the_template_has_them(server: LoopbackE2B) -> None:
    files = {"main.sh": b'echo "got $1"; exit 4'}
    program = Program(language="bash", main="main.sh", files=files, args=("it",))
    sandbox = connected(server)
    completed = await sandbox.run(program)
    assert completed.stdout == b"got it\n"
    assert completed.exit_code == 4
    own = connected(server, options={"languages": {"klingon": ("no-such-command",)}})
    with pytest.raises(UnsupportedError, match="no-such-command"):
        await own.run(Program(language="klingon", main="m", files={"m": b""}))


@pytest.mark.anyio
async def test_input_is_a_file_that_cannot_be_written(server: LoopbackE2B) -> None:
    source = """
import mmap, os, stat
found = os.fstat(0)
print(stat.S_ISREG(found.st_mode), found.st_size, oct(found.st_mode & 0o777))
print(os.read(0, found.st_size), os.lseek(0, 2, os.SEEK_SET), os.read(0, 1))
print(mmap.mmap(0, 0, prot=mmap.PROT_READ)[:])
try:
    os.write(0, b'x')
except OSError as error:
    print(error.errno)
"""
    completed = await connected(server).run(python(source, stdin=b"1 2 3"))
    expected = b"True 5 0o444\nb'1 2 3' 2 b'2'\nb'1 2 3'\n9\n"
    assert completed.stdout == expected, completed.stderr


@pytest.mark.anyio
@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)", "while True: pass"])
async def test_results_come_back_whatever_the_end(server: LoopbackE2B, end: str) -> None:
    write = "import os; fd = int(os.environ['PLANISH_RESULTS_FD']); os.write(fd, b'seen')\n"
    completed = await connected(server).run(python(write + end, results=True, seconds=1.0))
    assert completed.results == b"seen"
    assert (completed.limit == "seconds") == ("while" in end)
    assert "results" not in completed.guarantees


@pytest.mark.anyio
async def test_results_are_limited_as_files_are_and_lie_at_no_path(server: LoopbackE2B) -> None:
    source = """
import os
fd = int(os.environ['PLANISH_RESULTS_FD'])
print(os.fstat(fd).st_nlink, os.listdir('..'))
try:
    os.write(fd, b'x' * 2000)
    os.write(fd, b'x' * 2000)
except OSError as error:
    print(error.errno)
"""
    async with connected(server) as sandbox:
        limits = ResourceLimits(file_bytes=1000)
        completed = await sandbox.run(python(source, results=True, limits=limits))
        assert completed.results == b"x" * 1000
        assert completed.stdout.splitlines()[0].startswith(b"0 ")
        assert completed.stdout.splitlines()[1] == b"27"  # EFBIG
        silent = await sandbox.run(python("import os; print('PLANISH_RESULTS_FD' in os.environ)"))
    assert (silent.stdout, silent.results) == (b"False\n", None)


@pytest.mark.anyio
async def test_a_pipeline_judges_what_ran_there(server: LoopbackE2B) -> None:
    task = Task("Double a number.", tests="assert double(2) == 4\nassert double(0) == 0")
    async with connected(server) as sandbox:
        judged = CodeExecution(sandbox) >> Validator()
        right = await judged.run(Candidate(task=task, code="def double(n): return 2 * n"))
        wrong = await judged.run(Candidate(task=task, code="def double(n): return n"))
    assert right.passed
    assert not wrong.passed


def test_python_is_here() -> None:
    assert shutil.which("bash"), "the tests of other languages need it"


@pytest.mark.anyio
async def test_a_small_result_is_printed_and_needs_no_second_request(server: LoopbackE2B) -> None:
    async with connected(server) as sandbox:
        await sandbox.run(python("print('small')"))
        before = dict(server.calls)
        await sandbox.run(python("print('small')"))
        small = {name: count - before.get(name, 0) for name, count in server.calls.items()}
        before = dict(server.calls)
        await sandbox.run(python("import os; print(os.urandom(800_000).hex())"))
        large = {name: count - before.get(name, 0) for name, count in server.calls.items()}
    assert sum(small.values()) < sum(large.values())
