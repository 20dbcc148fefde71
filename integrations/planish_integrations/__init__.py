"""What planish's primitives work with: models, sandboxes, environments, benchmarks, the CLI.

`models` finds language models by name and speaks to them; `sandboxes` run programs; `environments`
install packages; `evaluation` measures pipelines over benchmarks; `otel` sets up OpenTelemetry;
`testing` has servers on loopback that speak the real protocols; `cli` is the program `planish`.

Short import paths: `.local`, `.unsafe`, `.containers` and `.e2b` for sandboxes; `.openai`,
`.anthropic`, `.gemini`, `.ollama`, `.calling`, `.langchain`, `.litellm` and `.pydantic_ai` for
models. Nothing is loaded that is not imported by its own name.
"""
