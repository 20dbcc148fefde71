"""The whole way: a program in a sandbox with what it imports, and the feedback without."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from tests.integrations.environments.programs import Make, program

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.abc import Sandbox
from planish.testing import ScriptedModel, ScriptedSandbox, check_sandbox
from planish.testing.telemetry import capture
from planish_integrations.environments import Environment, InEnvironment
from planish_integrations.unsafe import UnsafeLocalSandbox

pytestmark = pytest.mark.anyio


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


async def test_a_program_finds_what_it_imports(make: Make) -> None:
    made: list[Environment] = []

    def sandbox_for(environment: Environment) -> Sandbox:
        made.append(environment)
        return UnsafeLocalSandbox()

    sandbox = InEnvironment(sandbox_for, make("plain"), pythonpath=True)
    for _ in range(2):
        done = await sandbox.run(program("import plain\nprint(plain.version)"))
        assert (done.stdout, done.findings) == (b"2.0\n", ())
    done = await sandbox.run(program("print(1)"))
    assert done.stdout == b"1\n"
    own = replace(
        program("import plain, os\nprint(os.environ['PYTHONPATH'])"), env={"PYTHONPATH": "own"}
    )
    assert (await sandbox.run(own)).stdout == f"{made[1].path}:own\n".encode()
    assert [one.path is None for one in made] == [True, False]  # one for each environment
    assert sandbox.name == "unsafe_local"


async def test_it_closes_the_sandboxes_that_can_be_closed(make: Make) -> None:
    closed: list[object] = []

    class Open(UnsafeLocalSandbox):
        def __init__(self, environment: Environment) -> None:
            super().__init__()
            self.path = environment.path

        async def aclose(self) -> None:
            closed.append(self.path)

    async with InEnvironment(Open, make("plain"), pythonpath=True) as sandbox:
        done = await sandbox.run(program("import plain"))
        assert (done.ok, closed) == (True, [])
    assert len(closed) == 2
    assert None in closed, "the one for programs without packages"
    async with InEnvironment(lambda _: ScriptedSandbox([]), make("plain")):
        pass  # it has no `aclose`


async def test_what_was_made_up_is_in_the_feedback(make: Make) -> None:
    """The second attempt is told what it may import, and passes."""
    model = ScriptedModel(
        [
            fenced("import plain_pro\ndef f():\n    return plain_pro.version"),
            fenced("import plain\ndef f():\n    return plain.version"),
        ]
    )
    sandbox = InEnvironment(lambda _: UnsafeLocalSandbox(), make("plain"), pythonpath=True)
    loop = Retry(CodeGenerator(model) >> CodeExecution(sandbox) >> Validator(), attempts=2)
    task = Task("Give the version of plain.", entry_point="f", tests=[((), "2.0")])
    report = await loop.run(task)
    assert (report.passed, report.attempts) == (True, 2)
    events_of = model.requests[1].messages[-1].content
    assert "the package plain_pro, for `import plain_pro` in solution.py, line 1" in events_of
    assert "may not be installed; allowed: plain" in events_of


async def test_every_installation_is_an_event_of_the_run(make: Make) -> None:
    sandbox = InEnvironment(lambda _: UnsafeLocalSandbox(), make("old"), pythonpath=True)
    code = "import old, made_up"
    attempt = CodeGenerator(ScriptedModel([fenced(code)] * 2)) >> CodeExecution(sandbox)
    with capture() as captured:
        await attempt.run(Task("Import."))
        await attempt.run(Task("Import."))
    spans = captured.by_name("execute_tool unsafe_local")
    first, second = ([dict(event.attributes or {}) for event in span.events] for span in spans)
    assert events_of(first) == [
        ("old", "1.0", "installed", False),
        ("plain", "1.0", "installed", False),
        ("made_up", None, "refused", False),
    ]
    assert [one[3] for one in events_of(second)] == [True, True, False]
    assert all(len(str(one["planish.environment.fingerprint"])) == 64 for one in first)
    assert float(str(first[0]["planish.environment.seconds"])) > 0
    names = {event.name for span in spans for event in span.events}
    assert names == {"planish.environment.install"}


def events_of(events: Sequence[Mapping[str, object]]) -> list[tuple[object, ...]]:
    keys = ("distribution", "version", "outcome", "cached")
    return [tuple(one.get(f"planish.environment.{key}") for key in keys) for one in events]


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_it_keeps_the_contract_of_sandboxes(make: Make) -> None:
    await check_sandbox(InEnvironment(lambda _: UnsafeLocalSandbox(), make("plain")))
