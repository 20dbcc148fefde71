"""Print the measures of the house: `python -m tests.house.measures`.

How many files there are and how long, how many a run passes through, how many names stand at the
top of `planish`, and how many functions are written twice. They have goals in
docs/architecture.md, and tests hold them.
"""

import ast
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import anyio

__all__ = ["Measures", "files_passed", "main", "measure"]

ROOT = Path(__file__).resolve().parents[2]
ROOTS = (ROOT / "primitives" / "planish", ROOT / "integrations" / "planish_integrations")
_STATEMENTS = 4  # a function of fewer says too little to be a copy


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of one tree.

    Attributes:
        files: Python files of the library.
        lines: Lines in them.
        median: Lines of the median file.
        short: Files under 60 lines.
        run: Files with a function that a run of two attempts calls, in the host's process.
        reply: The same from when a model has replied until there is a candidate.
        request: The same for the whole of it: a task, a request over HTTP, a candidate.
        names: Names at the top of `planish`.
        duplicates: Functions of four statements or more whose body stands elsewhere too.
    """

    files: int
    lines: int
    median: float
    short: int
    run: int
    reply: int
    request: int
    names: int
    duplicates: int


def measure() -> Measures:
    """Measure the library that is imported; takes some seconds."""
    import planish  # noqa: PLC0415 - what it costs is not measured

    lengths = [len(path.read_text(encoding="utf-8").splitlines()) for path in _files()]
    return Measures(
        files=len(lengths),
        lines=sum(lengths),
        median=statistics.median(lengths),
        short=sum(length < 60 for length in lengths),
        run=len(files_passed(_two_attempts)),
        reply=len(files_passed(_after_the_reply)),
        request=len(files_passed(_over_http)),
        names=len(planish.__all__),
        duplicates=len(list(duplicates())),
    )


def files_passed(run: Callable[["Recorder"], Any]) -> set[str]:
    """Return the library's files of which a run calls a function in this process.

    Of six runs, those that each of them passes: where a machine is slow, most runs also wait for
    their turn, or for a thread.

    Args:
        run: An async function, given the recorder that it starts where the trip begins.
    """
    anyio.run(run, Recorder())  # what is loaded or made once is not a part of each run
    first, *others = [_record(run) for _ in range(6)]
    return first.intersection(*others)


def _record(run: Callable[["Recorder"], Any]) -> set[str]:
    """Return the files that one run passes through."""
    recorder = Recorder()
    try:
        anyio.run(run, recorder)
    finally:
        sys.setprofile(None)
    return recorder.files


class Recorder:
    """Records the library's files of which a function is called.

    Attributes:
        files: Their paths below the package, without those of `testing`.
    """

    def __init__(self) -> None:
        self.files: set[str] = set()
        self._roots = tuple(map(str, ROOTS))

    def start(self) -> None:
        """Record from now on."""
        sys.setprofile(self._see)

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(self._roots) and "/testing/" not in path:
            self.files.add(path.partition("/planish")[2])


def duplicates() -> Iterator[tuple[str, str]]:
    """Find functions with the same body: where each stands, and where the first does."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in _files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                if sum(isinstance(part, ast.stmt) for one in body for part in ast.walk(one)) >= (
                    _STATEMENTS
                ):
                    place = f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
                    found["\n".join(map(ast.dump, body))].append(place)
    for places in found.values():
        yield from ((place, places[0]) for place in places[1:])


def _files() -> list[Path]:
    return [path for root in ROOTS for path in sorted(root.rglob("*.py"))]


def _pipeline(replies: list[str]) -> Any:
    from planish import CodeExecution, CodeGenerator, Validator  # noqa: PLC0415
    from planish.testing import ScriptedModel  # noqa: PLC0415
    from planish_integrations.unsafe import UnsafeLocalSandbox  # noqa: PLC0415

    return (
        CodeGenerator(ScriptedModel(replies)) >> CodeExecution(UnsafeLocalSandbox()) >> Validator()
    )


_RIGHT = "```python\ndef double(n):\n    return 2 * n\n```"
_WRONG = "```python\ndef double(n):\n    return n + 2\n```"


def _task() -> Any:
    from planish import Task  # noqa: PLC0415

    return Task("Double a number.", entry_point="double", tests=[(2, 4), (5, 10)])


async def _two_attempts(recorder: Recorder) -> None:
    from planish import Retry  # noqa: PLC0415

    pipeline = Retry(_pipeline([_WRONG, _RIGHT]), attempts=2)
    recorder.start()
    report = await pipeline.run(_task())
    if report.attempts != 2:
        raise RuntimeError(f"it ended after {report.attempts} attempts: {report}")


async def _after_the_reply(recorder: Recorder) -> None:
    from planish import CodeGenerator  # noqa: PLC0415
    from planish.testing import ScriptedModel  # noqa: PLC0415

    class Model(ScriptedModel):
        async def reply(self, *request: Any, **options: Any) -> Any:
            found = await super().reply(*request, **options)
            recorder.start()
            return found

    await CodeGenerator(Model([_RIGHT])).run(_task())


async def _over_http(recorder: Recorder) -> None:
    from planish import CodeGenerator  # noqa: PLC0415
    from planish_integrations.openai import OpenAIModel  # noqa: PLC0415
    from planish_integrations.testing import LoopbackProvider  # noqa: PLC0415

    async with (
        LoopbackProvider([_RIGHT]) as server,
        OpenAIModel("m", base_url=server.url("openai"), api_key="") as model,
    ):
        recorder.start()
        await CodeGenerator(model).run(_task())


def main() -> None:
    """Print the measures, and where functions are written twice."""
    found = measure()
    sys.stdout.write(
        "".join(f"{name:>11} {getattr(found, name):,}\n" for name in Measures.__slots__)
    )
    for place, first in duplicates():
        sys.stdout.write(f"{place}\n    as {first}\n")


if __name__ == "__main__":
    main()
