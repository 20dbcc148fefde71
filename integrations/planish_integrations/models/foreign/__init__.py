"""Adapters that make models of planish from callables, LangChain, LiteLLM and pydantic-ai."""
