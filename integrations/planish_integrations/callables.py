"""Any callable that returns or streams text, as a model."""

from planish_integrations.models.foreign.callables import Answered, CallableModel, Takes, as_model

__all__ = ["Answered", "CallableModel", "Takes", "as_model"]
