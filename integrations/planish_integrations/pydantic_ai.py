"""pydantic-ai's models and agents as planish models, and planish pipelines as its tools."""

from planish_integrations.models.foreign.pydantic_ai import (
    PydanticAIAgent,
    PydanticAIModel,
    as_tool,
)

__all__ = ["PydanticAIAgent", "PydanticAIModel", "as_tool"]
