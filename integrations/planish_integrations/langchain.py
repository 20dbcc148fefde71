"""LangChain's chat models as planish models, and planish pipelines as LangChain Runnables."""

from planish_integrations.models.foreign.langchain import LangChainModel, as_runnable

__all__ = ["LangChainModel", "as_runnable"]
