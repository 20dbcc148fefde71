"""From a task to code, by asking a model."""

from collections.abc import Callable

from planish.abc import Model
from planish.data.candidate import Candidate
from planish.data.message import Reply, Request
from planish.data.task import Task
from planish.effects import ask
from planish.errors import WiringError
from planish.extraction import ExtractedCode, extract
from planish.prompts import Prompt, default_prompt
from planish.runtime.primitive import Primitive
from planish.runtime.signature import implements

__all__ = ["CodeGenerator", "Extraction"]

Extraction = Callable[[str, Task], ExtractedCode]
"""Takes the code for a task out of a reply's text."""


def _by_rules(text: str, task: Task) -> ExtractedCode:
    return extract(text, entry_point=task.required_name, language=task.language)


class CodeGenerator(Primitive[Task, Candidate]):
    """Ask a model for code and take it out of the answer.

    What the last attempt taught stands in the task and so in the request. An answer without
    code, or cut off at the token limit, gives a candidate that says so (`Candidate.problem`):
    it is not run, and becomes feedback.

    Args:
        model: Whom to ask.
        prompt: Makes the messages; `planish.prompts.default_prompt` unless given.
        temperature: Sampling temperature; None (the default) leaves it to the model.
        max_tokens: The most tokens to answer with; None leaves it to the model.
        seed: Sampling seed. Each candidate of a `BestOf` gets its own: seed + its index.
        extract: Takes the code out of a reply; by the rules of `planish.extraction` unless
            given. A reply cut off at the token limit is a problem whatever it says.

    Raises:
        WiringError: the model is none.
    """

    operation = "invoke_agent"

    def __init__(
        self,
        model: Model,
        *,
        prompt: Prompt = default_prompt,
        temperature: float | None = None,
        max_tokens: int | None = None,
        seed: int | None = None,
        extract: Extraction = _by_rules,
    ) -> None:
        if not implements(model, Model):
            raise WiringError(
                f"CodeGenerator({model!r}): a model has `name`, `provider` and `reply`"
            )
        self.model = model
        self.prompt = prompt
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.seed = seed
        self.extract = extract

    async def _run(self, value: Task) -> Candidate:
        reply = await ask(self.model, self._request(value))
        return _candidate(value, reply, self.extract(reply.text, value))

    def _request(self, task: Task) -> Request:
        return Request(
            messages=tuple(self.prompt(task)),
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            seed=None if self.seed is None else self.seed + task.candidate,
            task_id=task.id,
            attempt=task.attempt,
            candidate=task.candidate,
        )


def _candidate(task: Task, reply: Reply, found: ExtractedCode) -> Candidate:
    # A reply that was cut off may still parse, and do half of what was asked.
    problem = "truncated" if reply.finish_reason == "length" else found.problem
    return Candidate(task=task, code=found.code, problem=problem, reply=reply)
