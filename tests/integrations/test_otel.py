"""`observe`: OpenTelemetry in one line. Each test in a process of its own: it sets globals."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

PROGRAM = """
import anyio
from opentelemetry import trace
from planish import step
from planish_integrations.otel import observe

async def double(n: int) -> int:
    with trace.get_tracer("mine").start_as_current_span("my own span"):
        return 2 * n

with observe("a-service"{options}):
    assert anyio.run((step(double) >> step(double)).run, 3) == 12
"""


def run(program: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class Collector(BaseHTTPRequestHandler):
    received: dict[str, bytes]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.received[self.path] = self.received.get(self.path, b"") + body
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
        del format, args


@pytest.fixture
def collector() -> Iterator[tuple[str, dict[str, bytes]]]:
    received: dict[str, bytes] = {}
    handler = type("Here", (Collector,), {"received": received})
    server = HTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_spans_and_metrics_arrive_over_otlp(collector: tuple[str, dict[str, bytes]]) -> None:
    endpoint, received = collector
    done = run(PROGRAM.format(options=""), OTEL_EXPORTER_OTLP_ENDPOINT=endpoint)
    assert done.returncode == 0, done.stderr
    spans = received["/v1/traces"]
    for name in (b"invoke_workflow", b"planish.double", b"my own span", b"a-service"):
        assert name in spans
    assert b"gen_ai.invoke_workflow.duration" in received["/v1/metrics"]


def test_the_console_gets_spans_on_standard_error() -> None:
    done = run(PROGRAM.format(options=", to='console'"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert '"name": "invoke_workflow Sequential"' in done.stderr
    assert '"name": "my own span"' in done.stderr


def test_a_program_that_has_set_up_tracing_is_told_so() -> None:
    program = PROGRAM.format(options="") + "\nwith observe():\n    pass\n"
    done = run(program)
    assert done.returncode == 1
    assert "OpenTelemetry is set up already" in done.stderr
