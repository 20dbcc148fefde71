"""LangChain's chat models as planish models, and planish pipelines as LangChain Runnables.

Needs the extra `langchain`; LangChain is imported when a model or Runnable is made.
asyncio only: LangChain starts asyncio tasks.
"""

from typing import TYPE_CHECKING, Any

from planish import Primitive
from planish_integrations.models.foreign.errors import require_package

from ._model import LangChainModel

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

__all__ = ["LangChainModel", "as_runnable"]


def as_runnable(pipeline: Primitive[Any, Any], *, name: str | None = None) -> "Runnable[Any, Any]":
    """Return a LangChain Runnable that runs a pipeline.

    If the pipeline's input is a `Task`, the Runnable accepts a `Task`, a text (the requirement),
    or a dict of the task's fields (`requirement`, `tests`, `entry_point`, ...); otherwise it
    accepts the pipeline's input. Its output is the pipeline's, mostly a `Report`.

    `ainvoke` and `abatch` report the run, its name, tags and metadata to LangChain's callbacks,
    and each planish event (token, attempt, verdict, ...) as a custom event `planish.<kind>`, which
    `astream_events` yields. `max_concurrency` limits a batch. `invoke` needs a thread without a
    running event loop.

    Args:
        pipeline: The pipeline to run.
        name: The Runnable's name in LangChain's traces; None (the default) for the pipeline's.

    Raises:
        UnsupportedError: langchain-core is not installed.
    """
    require_package("langchain_core", "langchain")
    from ._runnable import PlanishRunnable  # noqa: PLC0415  # imported when used

    return PlanishRunnable(pipeline, name)
