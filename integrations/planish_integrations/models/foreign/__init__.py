"""Models of other libraries as planish's own: callables, LangChain, LiteLLM, pydantic-ai."""
