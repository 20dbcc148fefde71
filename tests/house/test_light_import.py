"""`import planish` is light, silent, and leaves the process as it was."""

import json
import subprocess
import sys
from typing import Any

import pytest

HEAVY = (
    "asyncio",
    "click",
    "e2b",
    "e2b_code_interpreter",
    "httpx",
    "matplotlib",
    "opentelemetry.exporter",
    "opentelemetry.sdk",
    "pydantic",
    "rich",
    "structlog",
    "trio",
)
# planish needs these, and what they load.
THEIRS = "import anyio, opentelemetry.trace, opentelemetry.metrics"

LOOK = """
import json, logging, signal, sys, threading, warnings
import opentelemetry.metrics, opentelemetry.trace, structlog

def state():
    return {
        "tracers": repr(opentelemetry.trace._TRACER_PROVIDER),
        "meters": repr(opentelemetry.metrics._internal._METER_PROVIDER),
        "structlog": structlog.is_configured(),
        "handlers": [repr(h) for h in logging.getLogger().handlers],
        "loggers": [n for n, l in logging.Logger.manager.loggerDict.items()
                    if getattr(l, "handlers", None) and n.startswith("planish")],
        "level": logging.getLogger().level,
        "threads": threading.active_count(),
        "signals": [repr(signal.getsignal(s)) for s in (signal.SIGINT, signal.SIGTERM)],
        "hooks": [repr(sys.excepthook), repr(sys.displayhook), repr(warnings.showwarning)],
        "filters": repr(warnings.filters),
        "path": sys.path[:],
    }

before = state()
{statement}
print(json.dumps({"before": before, "after": state()}), file=sys.stderr)
"""


# Each name is loaded when it is first used: these use all of them.
ALL = ["from planish import *", "from planish.data import *"]


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
    )


def _loaded(statement: str) -> set[str]:
    code = f"import json, sys\n{statement}\nprint(json.dumps(list(sys.modules)))"
    return set(json.loads(_python(code).stdout))


@pytest.mark.parametrize("statement", ALL)
def test_nothing_heavy_is_loaded(statement: str) -> None:
    ours = _loaded(statement) - _loaded(THEIRS)
    assert "planish.data.task" in ours
    assert [name for name in HEAVY if name in ours] == []


def test_a_program_pays_for_what_it_uses() -> None:
    assert not {"structlog", "opentelemetry", "anyio"} & _loaded("import planish")
    assert not {"structlog", "opentelemetry", "anyio"} & _loaded("from planish import Task")


def test_a_run_does_not_load_the_log() -> None:
    run = "import anyio\nfrom planish.steps.function import step\nanyio.run(step(abs).run, -3)"
    assert "structlog" not in _loaded(run)


@pytest.mark.parametrize("statement", ALL)
def test_the_process_is_left_as_it_was(statement: str) -> None:
    done = _python(LOOK.replace("{statement}", statement))
    seen: dict[str, Any] = json.loads(done.stderr)
    assert seen["after"] == seen["before"]
    assert done.stdout == ""


@pytest.mark.parametrize("statement", ALL)
def test_nothing_is_printed_or_warned_of(statement: str) -> None:
    done = _python(statement)
    assert (done.stdout, done.stderr) == ("", "")
