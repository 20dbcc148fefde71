"""Any callable that returns or streams text, as a model."""

from planish_integrations.models.foreign.callables import (
    ArgumentKind,
    CallableModel,
    CallableResult,
    as_model,
)

__all__ = ["ArgumentKind", "CallableModel", "CallableResult", "as_model"]
