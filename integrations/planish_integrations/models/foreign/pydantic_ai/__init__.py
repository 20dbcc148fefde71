"""pydantic-ai's models and agents as planish models, and planish pipelines as its tools.

Needs the extra `pydantic-ai`; pydantic-ai is imported when one of these is created.
"""

from ._models import PydanticAIAgent, PydanticAIModel
from ._tool import as_tool

__all__ = ["PydanticAIAgent", "PydanticAIModel", "as_tool"]
