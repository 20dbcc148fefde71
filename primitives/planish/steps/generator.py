"""Generate code for a task with a model."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from anyio import to_thread

from planish import extraction
from planish.abc import Model
from planish.arguments import require_count, require_number
from planish.data.candidate import Candidate
from planish.data.feedback import Issue
from planish.data.message import FinishReason, Message, Reply, Request
from planish.data.task import Task
from planish.effects import ask
from planish.effects.model import require_reply
from planish.errors import WiringError
from planish.loading import load_now
from planish.prompts import Prompt, default_prompt
from planish.runtime.primitive import Primitive
from planish.runtime.signature import implements
from planish.runtime.wiring import WrongInputError, require_callable, require_object

if TYPE_CHECKING:
    from planish.extraction import ExtractedCode

__all__ = ["CodeGenerator", "Extraction"]

Extraction = Callable[[str, Task], "ExtractedCode"]
"""A function that extracts the code for a task from a reply's text."""


_LONG_REPLY = 20_000  # characters; to read so many takes about 20 ms


def _by_rules(text: str, task: Task) -> "ExtractedCode":
    previous = task.feedback.previous_code if task.feedback is not None else ""
    files: Mapping[str, str] = task.feedback.previous_files if task.feedback is not None else {}
    return extraction.extract(
        text,
        entry_point=task.required_name,
        language=task.language,
        previous=previous,
        previous_files=tuple(files.items()),
    )


class CodeGenerator(Primitive[Task, Candidate]):
    """Request code from a model and extract it from the reply.

    The task has the feedback of the last attempt, so the request has it too. A reply without
    code, or one cut off at the token limit, becomes a candidate with a `problem`: it is not run,
    and the problem becomes feedback. So does code in another language than the task's.

    Args:
        model: The model.
        prompt: Returns the messages of the request; `planish.prompts.default_prompt` by default.
        temperature: Sampling temperature; None (the default) for the model's own. A feedback
            that has a temperature overrules it for one request.
        max_tokens: The most tokens of a reply; None (the default) for the model's own limit.
        seed: Sampling seed; None (the default) for none. A `BestOf` adds the candidate's number.
        extract: Extracts the code from a reply; `planish.extraction.extract` by default, which
            runs in a thread for replies of more than 20,000 characters. A reply cut off at the
            token limit has a `problem` whatever code is in it.
        structured: Request the code as JSON, with a schema, and the packages that it needs:
            `Candidate.packages` and `Candidate.system_packages`. A reply that does not fit it is
            requested once more, with what is wrong; if that does not fit either, the code is
            extracted from its text. False (the default) requests text.
        explain: Request, with the code, its goal and what the model assumes that the task does not
            say: `Candidate.goal` and `Candidate.assumptions`. Only with `structured`. False (the
            default) requests code alone.

    Raises:
        WiringError: the model does not have `name`, `provider` and `reply`, or is a class or the
            name of a model, or its `reply` has other parameters; `prompt` or `extract` is not a
            function; `explain` is given without `structured`. At run time, the input is not a
            `Task`, or it has held-out tests and no `Accept` is around.
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
        structured: bool = False,
        explain: bool = False,
    ) -> None:
        require_object(
            "CodeGenerator",
            "model",
            model,
            members="`name`, `provider` and `reply`",
            maker=f"planish_integrations.models.model({model!r}) makes of the name of one",
        )
        require_callable("CodeGenerator", "prompt", prompt, "from a task to messages")
        require_callable("CodeGenerator", "extract", extract, "from a reply's text to code")
        if not implements(model, Model):
            advice = "; of an async function, planish_integrations.callables.as_model makes one"
            raise WiringError(
                f"CodeGenerator({model!r}): a model has `name`, `provider` and "
                f"`reply`{advice if callable(model) else ''}"
            )
        require_reply("CodeGenerator(model=...)", model)
        if temperature is not None:
            require_number("CodeGenerator", "temperature", temperature, least=0)
        if max_tokens is not None:
            require_count("CodeGenerator", "max_tokens", max_tokens)
        if seed is not None and (
            isinstance(seed, bool) or not isinstance(cast("object", seed), int)
        ):
            raise ValueError(f"CodeGenerator(seed={seed!r:.80}): must be a whole number")
        load_now(extraction)
        self.model = model
        self.prompt = prompt
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.seed = seed
        self.extract = extract
        if explain and not structured:
            raise WiringError("CodeGenerator(explain=True) needs structured=True")
        self.structured = structured
        self.explain = explain

    @property
    def keeps_task(self) -> bool:
        """Whether the candidate's task is the input: a subclass may change it."""
        return type(self)._run is CodeGenerator._run  # noqa: SLF001 - its own class

    async def _run(self, value: Task) -> Candidate:
        if not isinstance(cast("object", value), Task):
            raise WrongInputError(self, value, "a Task")
        if value.accept is not None:
            raise WiringError(
                "the task has held-out tests, which nothing may see that generates code: run it "
                "with Accept(pipeline, CodeExecution(sandbox) >> Validator())"
            )
        if self.structured:
            return await self._run_structured(value)
        request = self._request(value)
        reply = await ask(self.model, request)
        return _candidate(value, request, reply, await self._extract(reply.text, value))

    async def _extract(self, text: str, task: Task) -> "ExtractedCode":
        """Extract the code; planish's own rules read a long reply in a thread."""
        if self.extract is _by_rules and len(text) > _LONG_REPLY:
            return await to_thread.run_sync(self.extract, text, task)
        extracted = cast("object", self.extract(text, task))
        if not isinstance(extracted, extraction.ExtractedCode):
            raise WiringError(
                f"CodeGenerator(extract=...): {_name_of(self.extract)} returned "
                f"{extracted!r:.200}; it returns a planish.extraction.ExtractedCode, as "
                "planish.extraction.extract does"
            )
        return extracted

    async def _run_structured(self, task: Task) -> Candidate:
        from planish.structured import ask_for_code  # noqa: PLC0415 - loads pydantic

        request = self._request(task)
        answer = await ask_for_code(self.model, request, task.language, explain=self.explain)
        if answer.code is None:
            extracted = await self._extract(answer.reply.text, task)
        else:
            extracted = extraction.ExtractedCode(
                code=answer.code,
                problem=None if answer.code.strip() else "empty_reply",
                block=None,
                blocks=0,
            )
        candidate = _candidate(task, answer.request, answer.reply, extracted)
        return replace(
            candidate,
            goal=answer.goal,
            assumptions=answer.assumptions,
            packages=answer.packages,
            system_packages=answer.system_packages,
        )

    def _request(self, task: Task) -> Request:
        return Request(
            messages=self._messages(task),
            temperature=self._temperature(task),
            max_tokens=self.max_tokens,
            seed=None if self.seed is None else self.seed + task.candidate,
            task_id=task.id,
            attempt=task.attempt,
            candidate=task.candidate,
        )

    def _messages(self, task: Task) -> tuple[Message, ...]:
        messages = cast("object", self.prompt(task))
        if isinstance(messages, Iterable) and not isinstance(messages, str):
            items = tuple(cast("Iterable[object]", messages))
            if items and all(map(_is_message, items)):
                return cast("tuple[Message, ...]", items)
        raise WiringError(
            f"CodeGenerator(prompt=...): {_name_of(self.prompt)} returned {messages!r:.200}; "
            "a prompt returns a list of planish.data.Message, such as [Message('user', 'text')]"
        )

    def _temperature(self, task: Task) -> float | None:
        """Return the feedback's temperature if it has one, else this generator's own."""
        wanted = None if task.feedback is None else task.feedback.temperature
        return self.temperature if wanted is None else wanted


def _is_message(item: object) -> bool:
    return isinstance(item, Message) and isinstance(cast("object", item.content), str)


def _name_of(function: object) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _candidate(task: Task, request: Request, reply: Reply, extracted: "ExtractedCode") -> Candidate:
    # Code that was cut off may still parse, and do half of what the task requires.
    problem = "truncated" if reply.finish_reason == "length" else extracted.problem
    candidate = Candidate(
        task=task,
        code=extracted.code,
        problem=problem,
        reply=reply,
        request=request,
        path=extracted.path,
        files=dict(extracted.files),
        findings=(*extracted.findings, *_end_findings(reply)),
    )
    other = extracted.other_language
    if candidate.problem is not None or other is None:
        return candidate
    return candidate.refuse(
        Issue(
            issue=f"the code is {other}, and the task is for {task.language}",
            fix=f"write it in {task.language}",
        )
    )


_ENDS: Mapping[FinishReason, str] = {
    "content_filter": "the model refused, or a filter of its provider ended the reply",
    "tool_calls": "the model called a tool instead of replying; no tool is run",
    "error": "the provider ended the reply early",
}


def _end_findings(reply: Reply) -> tuple[str, ...]:
    """Return a finding for a reply that did not end as a whole reply does; () otherwise."""
    end = _ENDS.get(reply.finish_reason)
    if end is None:
        return ()
    word = reply.provider_finish_reason
    return (end if word is None else f"{end} (finish reason {word!r})",)
