"""Any async callable as a model, and what every adapter of another library shares.

>>> from planish_integrations.calling import as_model
>>> async def shout(prompt: str) -> str:
...     return prompt.upper()
>>> as_model(shout)
CallableModel('shout')
"""

from ._model import Answered, CallableModel, Takes, as_model

__all__ = ["Answered", "CallableModel", "Takes", "as_model"]
