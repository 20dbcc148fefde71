"""Spans, metrics and logs of runs. A wrapper: no step contains any of it.

Only the OpenTelemetry API is used here; without an SDK nothing is recorded and nothing is
paid but one look per run. Behaviour is the same with all of this switched off.
"""
