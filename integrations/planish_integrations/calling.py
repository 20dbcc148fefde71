"""Any async callable as a model, and what every adapter of another library shares."""

from planish_integrations.models.foreign.calling import Answered, CallableModel, Takes, as_model

__all__ = ["Answered", "CallableModel", "Takes", "as_model"]
