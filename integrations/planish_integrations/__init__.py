"""Implementations for planish: models, sandboxes, environments, benchmarks, the CLI.

`models` finds language models by name and calls them; `sandboxes` run programs; `environments`
install packages; `evaluation` measures pipelines over benchmarks; `otel` sets up OpenTelemetry;
`testing` has loopback servers that implement the real protocols; `cli` is the program `planish`.

Short import paths: `.local`, `.unsafe`, `.containers` and `.e2b` for sandboxes; `.openai`,
`.anthropic`, `.gemini`, `.ollama`, `.callables`, `.langchain`, `.litellm` and `.pydantic_ai` for
models. Nothing is loaded that is not imported by its own name.
"""
