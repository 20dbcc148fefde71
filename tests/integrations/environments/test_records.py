"""What a span has of each install."""

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from planish_integrations.environments import Environment, EnvSpec, Install
from planish_integrations.environments._records import record_events


def recorded(*installs: Install) -> list[tuple[str, dict[str, Any]]]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with provider.get_tracer("test").start_as_current_span("run"):
        record_events(installs)
    (span,) = exporter.get_finished_spans()
    return [(event.name, dict(event.attributes or {})) for event in span.events]


def test_each_install_is_an_event_with_what_is_known() -> None:
    installed = Install(
        distribution="plain", version="2.0", fingerprint="ab", cached=True, seconds=1.5
    )
    missing = Install(distribution="never", fingerprint="ab", outcome="missing", reason="not there")
    prefix = "planish.environment."
    assert recorded(installed, missing) == [
        (
            f"{prefix}install",
            {
                f"{prefix}distribution": "plain",
                f"{prefix}fingerprint": "ab",
                f"{prefix}outcome": "installed",
                f"{prefix}cached": True,
                f"{prefix}seconds": 1.5,
                f"{prefix}version": "2.0",
            },
        ),
        (
            f"{prefix}install",
            {
                f"{prefix}distribution": "never",
                f"{prefix}fingerprint": "ab",
                f"{prefix}outcome": "missing",
                f"{prefix}cached": False,
                f"{prefix}seconds": 0.0,
                f"{prefix}reason": "not there",
            },
        ),
    ]


def test_a_lease_is_no_part_of_the_value_of_an_environment() -> None:
    one = Environment(path=None, spec=EnvSpec(), fingerprint="ab")
    other = replace(one, acquire_lease=nullcontext)
    assert one == other
    assert repr(one) == repr(other)
    assert "lease" not in repr(one)
    with one.lease() as value:
        assert value is None


def test_without_a_span_nothing_is_recorded() -> None:
    record_events([Install(distribution="plain")])


def test_fields_of_records_have_names() -> None:
    kinds: list[Any] = [Environment, Install]
    for kind in kinds:
        with pytest.raises(TypeError, match="positional"):
            kind("plain", "ab")
