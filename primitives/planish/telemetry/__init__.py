"""Spans, metrics, logs and events of runs. Steps contain none of it: `runs` wraps their calls.

Only the OpenTelemetry API is used, so without an SDK nothing is recorded, and each run costs one
check. Results are the same with and without telemetry.
"""
