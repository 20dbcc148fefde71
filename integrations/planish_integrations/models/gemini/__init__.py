"""Google's Gemini API, generateContent.

>>> from planish_integrations.gemini import GeminiModel
>>> GeminiModel("gemini-3.5-flash", api_key="AI-1")
GeminiModel('gemini-3.5-flash', provider='gcp.gemini')
"""

from planish_integrations.models.gemini._model import GEMINI_URL, GeminiModel

__all__ = ["GEMINI_URL", "GeminiModel"]
