"""LangChain's chat models as planish models, and planish pipelines as LangChain Runnables.

Needs `pip install "planish[langchain]"`; it is imported when one of these is made. On asyncio
only: LangChain starts tasks of asyncio.
"""

from ._convert import as_runnable
from ._model import LangChainModel

__all__ = ["LangChainModel", "as_runnable"]
