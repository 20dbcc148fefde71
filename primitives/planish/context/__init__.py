"""The context of a run: its listeners, its budgets and its ledger, in one context variable.

A context variable, and not global state: runs in one process do not affect each other. Pipelines
hold configuration only, so one pipeline serves any number of contexts.
"""
