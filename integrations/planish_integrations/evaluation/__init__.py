"""Measure pipelines on benchmarks, and replay recorded replies through the real loop.

`evaluate` runs a pipeline on tasks; `load_problems` reads benchmark files, and `load_recordings`
and `replay_all` replay recordings of real models. `planish evaluate` is their command line.
"""

from planish_integrations.evaluation._benchmark import benchmark_loop, hidden_check, offline_model
from planish_integrations.evaluation._errors import DatasetError, Skip, skips_as_json
from planish_integrations.evaluation._evaluate import Check, evaluate
from planish_integrations.evaluation._problem import Problem, test_counts
from planish_integrations.evaluation._problem_files import Problems, load_problems
from planish_integrations.evaluation._recordings import Recordings, load_recordings
from planish_integrations.evaluation._replay_all import PROGRAM_LIMITS, ReplayedRuns, replay_all
from planish_integrations.evaluation._result import Evaluation, Result
from planish_integrations.evaluation._series import Run, Series

__all__ = [
    "PROGRAM_LIMITS",
    "Check",
    "DatasetError",
    "Evaluation",
    "Problem",
    "Problems",
    "Recordings",
    "ReplayedRuns",
    "Result",
    "Run",
    "Series",
    "Skip",
    "benchmark_loop",
    "evaluate",
    "hidden_check",
    "load_problems",
    "load_recordings",
    "offline_model",
    "replay_all",
    "skips_as_json",
    "test_counts",
]
