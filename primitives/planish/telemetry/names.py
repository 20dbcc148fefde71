"""The names of all spans, attributes and metrics.

`gen_ai.*` are OpenTelemetry's GenAI semantic conventions: metrics of v1.41, attributes of the
conventions' own repository, as `opentelemetry-util-genai` emits them. Names that no convention
covers have the prefix `planish.`.
"""

from collections.abc import Mapping, Sequence
from typing import Final

OPERATION: Final = "gen_ai.operation.name"
WORKFLOW_NAME: Final = "gen_ai.workflow.name"
AGENT_NAME: Final = "gen_ai.agent.name"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
REQUEST_TEMPERATURE: Final = "gen_ai.request.temperature"
REQUEST_MAX_TOKENS: Final = "gen_ai.request.max_tokens"
REQUEST_SEED: Final = "gen_ai.request.seed"
REQUEST_STOP: Final = "gen_ai.request.stop_sequences"
REQUEST_REASONING: Final = "gen_ai.request.reasoning.level"
REQUEST_STREAM: Final = "gen_ai.request.stream"
OUTPUT_TYPE: Final = "gen_ai.output.type"
SERVER_ADDRESS: Final = "server.address"
SERVER_PORT: Final = "server.port"
RESPONSE_MODEL: Final = "gen_ai.response.model"
RESPONSE_ID: Final = "gen_ai.response.id"
RESPONSE_FINISH: Final = "gen_ai.response.finish_reasons"
TIME_TO_FIRST_CHUNK: Final = "gen_ai.response.time_to_first_chunk"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHED_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS: Final = "gen_ai.usage.cache_write.input_tokens"
REASONING_TOKENS: Final = "gen_ai.usage.reasoning.output_tokens"
ESTIMATED_TOKENS: Final = "planish.usage.estimated_tokens"
TOKEN_TYPE: Final = "gen_ai.token.type"
RESEND_COUNT: Final = "http.request.resend_count"
ERROR_TYPE: Final = "error.type"
EXIT_CODE: Final = "process.exit.code"

SYSTEM_INSTRUCTIONS: Final = "gen_ai.system_instructions"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
TOOL_ARGUMENTS: Final = "gen_ai.tool.call.arguments"
TOOL_RESULT: Final = "gen_ai.tool.call.result"
INFERENCE_DETAILS: Final = "gen_ai.client.inference.operation.details"

EVALUATION: Final = "gen_ai.evaluation.result"
EVALUATION_NAME: Final = "gen_ai.evaluation.name"
EVALUATION_SCORE: Final = "gen_ai.evaluation.score.value"
EVALUATION_LABEL: Final = "gen_ai.evaluation.score.label"
EVALUATION_EXPLANATION: Final = "gen_ai.evaluation.explanation"

PIPELINE: Final = "planish.pipeline"
STEP: Final = "planish.step"
PATH: Final = "planish.path"
EFFECT_KIND: Final = "planish.effect.kind"
EFFECT_NAME: Final = "planish.effect.name"
ATTEMPT: Final = "planish.attempt.index"
ATTEMPT_MAX: Final = "planish.attempt.max"
ATTEMPTS: Final = "planish.attempts"
CANDIDATE: Final = "planish.candidate.index"
CANDIDATE_DIGEST: Final = "planish.candidate.digest"
CANDIDATE_PROBLEM: Final = "planish.candidate.problem"
BRANCH: Final = "planish.branch.index"
BRANCH_COUNT: Final = "planish.branch.count"
BRANCH_OUTCOME: Final = "planish.branch.outcome"
BRANCH_WINNER: Final = "planish.branch.winner"
STATUS: Final = "planish.status"
REPEATS: Final = "planish.execution.repeats"
EVIDENCE_ORIGIN: Final = "planish.evidence.origin"
EVIDENCE_SEPARATION: Final = "planish.evidence.separation"
VERDICT: Final = "planish.verdict"
SCORE: Final = "planish.score"
PASSED: Final = "planish.passed"
STOP_REASON: Final = "planish.stop_reason"
# No convention has a name for the request id that a provider's support needs.
REQUEST_ID: Final = "planish.request.id"
SANDBOX_CHANGED: Final = "planish.sandbox.changed"
SANDBOX_DURATION: Final = "planish.sandbox.duration"
SANDBOX_GUARANTEES: Final = "planish.sandbox.guarantees"
SANDBOX_ID: Final = "planish.sandbox.id"
SANDBOX_ISOLATION: Final = "planish.sandbox.isolation"
SANDBOX_LIMIT: Final = "planish.sandbox.limit"
SANDBOX_NAME: Final = "planish.sandbox.name"
SANDBOX_STATE: Final = "planish.sandbox.state"
COST: Final = "planish.cost.usd"

WORKFLOW_DURATION: Final = "gen_ai.invoke_workflow.duration"
AGENT_DURATION: Final = "gen_ai.invoke_agent.duration"
TOOL_DURATION: Final = "gen_ai.execute_tool.duration"
CHAT_DURATION: Final = "gen_ai.client.operation.duration"
FIRST_CHUNK_DURATION: Final = "gen_ai.client.operation.time_to_first_chunk"
TOKEN_USAGE: Final = "gen_ai.client.token.usage"
ATTEMPTS_METRIC: Final = "planish.loop.attempts"
VERDICTS_METRIC: Final = "planish.verdicts"
COST_METRIC: Final = "planish.cost"
SANDBOX_SECONDS_METRIC: Final = "planish.sandbox.seconds"
BRANCHES_METRIC: Final = "planish.branches"

BUCKETS: Final[Mapping[str, Sequence[float]]] = {
    CHAT_DURATION: [0.01 * 2**i for i in range(14)],
    FIRST_CHUNK_DURATION: [0.01 * 2**i for i in range(14)],
    TOOL_DURATION: [0.01 * 2**i for i in range(14)],
    AGENT_DURATION: [0.1 * 2**i for i in range(13)],
    WORKFLOW_DURATION: [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200],
    TOKEN_USAGE: [4**i for i in range(14)],
    ATTEMPTS_METRIC: [1, 2, 3, 4, 5, 8, 12, 20],
}
"""Histogram boundaries by metric: seconds for durations, else tokens or attempts."""
