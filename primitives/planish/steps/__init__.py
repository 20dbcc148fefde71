"""The steps of a pipeline: generate code, execute it, judge it, or call a function."""
