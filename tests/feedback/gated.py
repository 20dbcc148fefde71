"""A model that answers right only if the evidence it needs is in the request."""

from collections.abc import Callable, Sequence

from tests.feedback.kinds import Kind, as_reply

from planish import CodeExecution, CodeGenerator, CodePolicy, Retry, Task, Validator
from planish.abc import OnText
from planish.data import Message, Reply, Report, Request, ResourceLimits
from planish.prompts import default_prompt
from planish_integrations.local import LocalSandbox

__all__ = ["GatedModel", "loop", "prompt_without"]

LOCAL = LocalSandbox()  # one for all tests: each would start a template process of its own


class GatedModel:
    """Reply with wrong code until a request has the evidence; then with the right code.

    Args:
        kind: The failure.
    """

    name = "gated"
    provider = "planish"

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.requests: list[Request] = []

    async def reply(self, request: Request, on_text: OnText | None = None) -> Reply:  # noqa: ARG002
        """Return the reply to a request."""
        self.requests.append(request)
        evidence = request.messages[-1].content if len(request.messages) > 2 else ""
        if self.kind.evidence in evidence:
            return Reply(text=as_reply(self.kind.right))
        # No reply repeats another: a repeat would have the evidence again.
        number = f"{'' if self.kind.prose else '# '}{len(self.requests)}"
        body, fence, end = self.kind.reply.rpartition("```")
        text = f"{body}{number}\n{fence}{end}" if fence else f"{self.kind.reply} {number}"
        return Reply(text=text, finish_reason=self.kind.finish)


def prompt_without(
    evidence: str, prompt_of: Callable[[Task], Sequence[Message]] = default_prompt
) -> Callable[[Task], Sequence[Message]]:
    """Return a prompt with a text taken out of it."""

    def prompt(task: Task) -> Sequence[Message]:
        return [Message(one.role, one.content.replace(evidence, "")) for one in prompt_of(task)]

    return prompt


def loop(
    model: GatedModel, prompt: Callable[[Task], Sequence[Message]] | None = None
) -> Retry[Task, Report]:
    """Return a loop of two attempts in a real sandbox.

    Args:
        model: The model.
        prompt: The prompt; by default the one of its kind.
    """
    execution = CodeExecution(LOCAL, limits=ResourceLimits(seconds=1))
    generator = CodeGenerator(model, prompt=prompt or model.kind.prompt)
    refuse = CodePolicy(*model.kind.rules)
    attempt = generator >> refuse >> execution >> Validator()
    return Retry(attempt, attempts=2, feedback=model.kind.policy)
