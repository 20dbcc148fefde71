"""200 runs at once over all protocols, with faults and cancelled losers: all usage is counted."""

import re
from collections import Counter
from random import Random

import anyio
import pytest
from tests.integrations.models.transport.protocols import LOOPBACK_NAMES, MODELS
from tests.laws.kit import answer, grade

from planish import CodeGenerator, Primitive, Report, Retry, Task, Validator, budget, step
from planish.data import Reply, Usage
from planish.data.usage import Price
from planish.events import listen
from planish_integrations.models.transport import Backoff, HttpModel
from planish_integrations.testing import Fault, LoopbackProvider, ReceivedRequest

RUNS = 200
QUICK = Backoff(tries=12, first=0.01)
DOLLAR_A_TOKEN = Price(input=1e6, output=1e6)
FAULTS = [
    Fault.error(500),
    Fault.error(503),
    Fault.error(529),
    Fault.rate_limit(0.02, form="milliseconds"),
    Fault.dropped(),
    Fault.reset(),
    Fault.closed(),
    Fault.truncated(),
    Fault.malformed(),
    Fault.mistyped(),
    Fault.slow(0.05),
]


def number_in(text: str, pattern: str) -> int:
    found = re.search(pattern, text)
    assert found is not None
    return int(found[1])


class Provider:
    """The server's side: which run each request is of, what it is answered, and what that costs.

    Attributes:
        usage: What the server counts for each run, of the answers that it sent whole.
        requests: How many requests of each run it received.
        arrived: Set when the request of a run's losing branch is here; it is never answered.
    """

    def __init__(self) -> None:
        self.usage: dict[int, Usage] = {run: Usage() for run in range(RUNS)}
        self.requests: Counter[int] = Counter()
        self.arrived = {run: anyio.Event() for run in range(RUNS)}
        self.faults = 0
        self._random = Random(RUNS)  # noqa: S311  # the same faults in each run of the test
        self._unreadable: set[tuple[int, bool]] = set()

    def reply(self, received: ReceivedRequest) -> Reply:
        run = number_in(received.text, r"run (\d+) of many")
        again = f"first of {run};" in received.text
        text = answer(4, f"second of {run};") if again else answer(0, f"first of {run};")
        usage = Usage(input_tokens=20 + run, output_tokens=7 + run % 11 + 100 * again)
        return Reply(text=text, usage=usage)

    def fault(self, received: ReceivedRequest) -> Fault | None:
        run = number_in(received.text, r"run (\d+) of many")
        self.requests[run] += 1
        if "loser" in received.path or received.json.get("model") == "loser":
            self.arrived[run].set()
            return Fault.slow()
        drawn, fault = self._random.random(), self._random.choice(FAULTS)
        key = (run, f"first of {run};" in received.text)
        if drawn >= 0.1 or (fault.kind == "malformed" and key in self._unreadable):
            self.usage[run] += self.reply(received).usage
            return None
        self.faults += 1
        if fault.kind == "malformed":  # of two, the second would be an error
            self._unreadable.add(key)
        if fault.harmless:
            self.usage[run] += self.reply(received).usage
        return fault


class Storm:
    """All runs, over the models of all protocols in turn."""

    def __init__(self, provider: Provider, server: LoopbackProvider) -> None:
        self.provider = provider
        self.reports: dict[int, list[Report]] = {run: [] for run in range(RUNS)}
        self.models: list[tuple[HttpModel, HttpModel]] = []
        for protocol, model in sorted(MODELS.items()):
            url = server.url(LOOPBACK_NAMES[protocol])
            winner, loser = (
                model(name, base_url=url, api_key="k", backoff=QUICK, price=DOLLAR_A_TOKEN)
                for name in ("m", "loser")
            )
            self.models.append((winner, loser))

    async def run(self, number: int) -> None:
        winner, loser = self.models[number % len(self.models)]

        async def after_loser(task: Task) -> Task:
            await self.provider.arrived[number].wait()
            return task

        def attempt(model: HttpModel) -> Primitive[Task, Report]:
            return CodeGenerator(model, max_tokens=300) >> step(grade) >> Validator()

        race = (step(after_loser) >> Retry(attempt(winner), attempts=3)) | attempt(loser)
        task = Task(f"Pass all checks, run {number} of many.", tests="assert PASSED == 4")
        self.reports[number].append(await race.run(task))

    async def all(self) -> None:
        async with anyio.create_task_group() as group:
            for number in range(RUNS):
                group.start_soon(self.run, number)


@pytest.mark.anyio
async def test_usage_is_the_servers_own_count_run_by_run() -> None:
    provider = Provider()
    async with LoopbackProvider(provider.reply, faults=provider.fault) as server:
        storm = Storm(provider, server)
        with anyio.fail_after(240):
            async with budget(tokens=10**9, usd=1e9) as allowance:
                await storm.all()
        assert provider.faults > 2 * RUNS * 0.06
        assert provider.requests.total() == len(server.requests) > 3 * RUNS

    assert {len(of_run) for of_run in storm.reports.values()} == {1}  # none lost, none doubled
    for run, (report,) in storm.reports.items():
        usage = report.usage
        assert report.passed
        assert report.best is not None
        assert f"second of {run};" in report.best.code  # none misattributed
        assert [branch.outcome for branch in report.branches] == ["won", "cancelled"]
        assert usage.model_calls == 2
        assert usage.model_calls + usage.failed_calls == provider.requests[run]
        # To the token what the server counted; of what it did not answer, an estimate.
        assert usage.tokens - usage.estimated_tokens == provider.usage[run].tokens
        assert usage.estimated_tokens > 0  # of the loser at least
        assert usage.usd == pytest.approx(usage.tokens)
    total = sum((report.usage for (report,) in storm.reports.values()), Usage())
    assert allowance.spent.tokens == total.tokens
    assert (allowance.spent.model_calls, allowance.spent.failed_calls) == (
        total.model_calls,
        total.failed_calls,
    )
    assert total.model_calls + total.failed_calls == len(server.requests)


@pytest.mark.anyio
async def test_the_same_when_replies_are_streamed() -> None:
    provider = Provider()
    async with LoopbackProvider(provider.reply, faults=provider.fault) as server:
        storm = Storm(provider, server)
        with anyio.fail_after(240):
            async with listen(lambda _: None):
                await storm.all()
    for run, (report,) in storm.reports.items():
        usage = report.usage
        assert report.passed
        assert report.best is not None
        assert f"second of {run};" in report.best.code
        assert usage.model_calls == 2
        assert usage.model_calls + usage.failed_calls == provider.requests[run]
        # A stream that breaks off has reported a part of its tokens, or of its prompt.
        assert usage.tokens - usage.estimated_tokens >= provider.usage[run].tokens
