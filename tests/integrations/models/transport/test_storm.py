"""Many runs at once against a provider that fails at every tenth request."""

import re
from collections import Counter

import anyio
import pytest
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS
from tests.laws.kit import answer, grade

from planish import CodeGenerator, Report, Retry, Task, Validator, step
from planish.data import Usage
from planish_integrations.models.transport import Backoff
from planish_integrations.testing import Fault, LoopbackProvider, RandomFaults, ReceivedRequest

CANARY = "CANARY-OF-A-FAULT"
FAULTS = [
    Fault.error(500, CANARY),
    Fault.error(503, CANARY),
    Fault.error(529, CANARY),
    Fault.rate_limit(0.02, form="milliseconds"),
    Fault.rate_limit(0.02, form="words"),
    Fault.rate_limit(0.02, form="retry_info"),
    Fault.dropped(),
    Fault.reset(),
    Fault.closed(),
    Fault.truncated(),
    # A malformed response is requested once more only: see test_storm_usage.py.
    Fault.mistyped(),
    Fault.slow(0.05),
]
QUICK = Backoff(tries=12, first=0.01)


def second_time_right(received: ReceivedRequest) -> str:
    """A run's first code fails; shown that, it is told the right one."""
    found = re.search(r"run (\d+) of many", received.text)
    number = found[1] if found else "?"
    again = f"first of {number};" in received.text
    return answer(4, f"second of {number};") if again else answer(0, f"first of {number};")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("protocol", "runs"),
    [("chat", 200), ("responses", 40), ("anthropic", 40), ("gemini", 40), ("ollama", 40)],
)
async def test_no_run_is_lost_or_doubled_and_attempts_are_counted_exactly(
    protocol: str, runs: int
) -> None:
    reports: dict[int, list[Report]] = {n: [] for n in range(runs)}
    chance = RandomFaults(0.1, FAULTS, seed=runs)
    async with LoopbackProvider(second_time_right, faults=chance) as server:
        url = server.url(LOOPBACK_NAMES[protocol])
        model = MODELS[protocol]("m", base_url=url, api_key="k", backoff=QUICK)
        loop = Retry(CodeGenerator(model) >> step(grade) >> Validator(), attempts=3)

        async def run(number: int) -> None:
            task = Task(f"Pass all checks, run {number} of many.", tests="assert PASSED == 4")
            reports[number].append(await loop.run(task))

        with anyio.fail_after(120):
            async with model, anyio.create_task_group() as group:
                for number in reports:
                    group.start_soon(run, number)
        harmful = [fault for fault in server.injected_faults if not fault.harmless]
        assert len(server.injected_faults) > runs / 10  # of two requests a run, a tenth
        assert len(server.requests) == 2 * runs + len(harmful)
        assert server.served == 2 * runs

    assert {len(of_run) for of_run in reports.values()} == {1}
    for number, (report,) in reports.items():
        assert report.passed
        assert report.best is not None
        assert f"second of {number};" in report.best.code
        assert (report.attempts, report.usage.model_calls) == (2, 2)
    for request in server.requests:
        assert CANARY not in request.text
        assert "loopback" not in request.text.lower()
    sent = Counter(re.findall(r"run (\d+) of many", r.text)[0] for r in server.requests)
    assert len(sent) == runs
    used = sum((report.usage for (report,) in reports.values()), Usage())
    assert used.model_calls == 2 * runs


@pytest.mark.anyio
async def test_a_provider_that_refuses_connections_for_a_while_loses_no_run() -> None:
    async with LoopbackProvider(second_time_right) as server:
        model = MODELS["chat"]("m", base_url=server.url("openai"), api_key="k", backoff=QUICK)
        loop = Retry(CodeGenerator(model) >> step(grade) >> Validator(), attempts=3)
        reports: list[Report] = []

        async def run(number: int) -> None:
            task = Task(f"Pass all checks, run {number} of many.", tests="assert PASSED == 4")
            reports.append(await loop.run(task))

        with anyio.fail_after(120):
            async with anyio.create_task_group() as group, server.refusing():
                for number in range(10):
                    group.start_soon(run, number)
                await anyio.sleep(0.05)
        assert [report.passed for report in reports] == [True] * 10
        assert [report.attempts for report in reports] == [2] * 10
