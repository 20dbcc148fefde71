"""Google's Gemini API (generateContent)."""

from planish_integrations.models.gemini import GEMINI_URL, GeminiModel

__all__ = ["GEMINI_URL", "GeminiModel"]
