"""The example dashboard shows each metric by the name and the labels it has in Prometheus."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from planish.telemetry import names
from planish.telemetry.metrics import Instruments

FILE = Path(__file__).resolve().parents[2] / "examples" / "grafana-dashboard.json"
QUERY = re.compile(r"\b(?:planish|gen_ai)_\w+")
PARTS = ("_bucket", "_count", "_sum")


def queries() -> Iterator[str]:
    panels: Any = json.loads(FILE.read_text(encoding="utf-8"))["panels"]
    for panel in panels:
        yield from (target["expr"] for target in panel["targets"])


def metrics_in_prometheus() -> set[str]:
    """The names of all metrics, after OpenTelemetry's rules for Prometheus."""
    reader = InMemoryMetricReader()
    provider = MeterProvider(metric_readers=[reader])
    made = Instruments(provider)
    for instrument in vars(made).values():
        (getattr(instrument, "record", None) or instrument.add)(1)
    data = reader.get_metrics_data()
    assert data is not None
    found: set[str] = set()
    for metric in data.resource_metrics[0].scope_metrics[0].metrics:
        base = metric.name.replace(".", "_")
        unit = {"s": "_seconds", "USD": "_USD"}.get(metric.unit or "", "")
        base += "" if base.endswith(unit) else unit
        is_counter = hasattr(metric.data, "is_monotonic")
        found |= {f"{base}_total"} if is_counter else {base + part for part in PARTS}
    provider.shutdown()
    return found


def test_each_query_is_of_a_metric_and_of_labels_that_exist() -> None:
    attributes = {v.replace(".", "_") for v in vars(names).values() if isinstance(v, str)}
    for query in queries():
        used = set(QUERY.findall(query))
        assert used & metrics_in_prometheus(), query
        assert used <= metrics_in_prometheus() | attributes, query


def test_each_metric_is_shown() -> None:
    shown = {name for query in queries() for name in QUERY.findall(query)}
    bases = {re.sub("_(?:bucket|count|sum)$", "", name) for name in shown}
    missing = {re.sub("_(?:bucket|count|sum)$", "", n) for n in metrics_in_prometheus()} - bases
    assert missing == set()


@pytest.mark.parametrize("query", list(queries()))
def test_a_query_is_whole(query: str) -> None:
    for opening, closing in ("()", "{}", "[]"):
        assert query.count(opening) == query.count(closing)
