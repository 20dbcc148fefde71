"""LangChain's chat models as planish models, and planish pipelines as LangChain Runnables.

Needs `pip install "planish[langchain]"`; LangChain is imported when a model or Runnable is made.
asyncio only: LangChain starts asyncio tasks.
"""

from typing import TYPE_CHECKING, Any

from planish import Primitive
from planish_integrations.models.foreign.errors import needed

from ._model import LangChainModel

if TYPE_CHECKING:
    from langchain_core.runnables import Runnable

__all__ = ["LangChainModel", "as_runnable"]


def as_runnable(pipeline: Primitive[Any, Any], *, name: str | None = None) -> "Runnable[Any, Any]":
    """Make a pipeline a LangChain Runnable, to be piped, batched, streamed and traced there.

    A pipeline of tasks takes a `Task`, a text (the requirement), or a dict of the task's
    fields (`requirement`, `tests`, `entry_point`, ...); another pipeline what it takes. The
    result is the pipeline's own: mostly a `Report`.

    `ainvoke` and `abatch` tell LangChain's callbacks, run names, tags and metadata of it;
    `max_concurrency` bounds a batch. `astream` gives planish's events as they happen (each
    token, attempt and verdict, see `planish.listen`), and the result as its last item.
    `invoke` needs a thread without a running event loop.

    Args:
        pipeline: What to run.
        name: What LangChain's traces call it; None (the default) for the pipeline's name.

    Raises:
        UnsupportedError: langchain-core is not installed.
    """
    needed("langchain_core", "langchain")
    from ._runnable import PlanishRunnable  # noqa: PLC0415  # imported when used

    return PlanishRunnable(pipeline, name)
