"""The default prompts of `CodeGenerator`: pure functions from a task to messages."""

from collections.abc import Callable, Sequence

from planish.data.message import Message
from planish.data.task import Task
from planish.data.tests import Assertions, Case, Cases, PytestFile, StdioPairs, Tests

__all__ = ["Prompt", "default_prompt", "prompt_without_tests"]

Prompt = Callable[[Task], Sequence[Message]]
"""A function from a task to the messages of the request."""

_MAX_EXAMPLES = 20

_COMPARE_NOTES = {
    "exact": "",
    "tokens": " (white space does not count)",
    "floats": " (numbers need only be close)",
    "lines_any_order": " (its lines may be in any order)",
}

_SYSTEM = (
    "You write {language} code. Answer with one fenced code block that holds the whole "
    "solution, ready to run as it stands: imports included, no placeholders, no usage examples."
)


def default_prompt(task: Task) -> Sequence[Message]:
    """Return messages with the requirement, its context, the tests, and the feedback, if any."""
    return _messages(task, tests=task.tests)


def prompt_without_tests(task: Task) -> Sequence[Message]:
    """Return the messages of `default_prompt` without the tests, for benchmarks that hide them."""
    return _messages(task, tests=None)


def _messages(task: Task, *, tests: Tests | None) -> Sequence[Message]:
    messages = [
        Message("system", _SYSTEM.format(language=task.language)),
        Message("user", _requirement_text(task, tests)),
    ]
    feedback = task.feedback
    if feedback is not None:
        if feedback.previous_code:
            fenced = f"```{task.language}\n{feedback.previous_code}\n```"
            messages.append(Message("assistant", fenced))
        instruction = "Write the whole corrected solution."
        if not feedback.previous_code:
            instruction = "Take a different approach."
        messages.append(Message("user", f"{feedback.render()}\n\n{instruction}".strip()))
    return messages


def _requirement_text(task: Task, tests: Tests | None) -> str:
    parts = [task.requirement.strip()]
    if task.entry_point:
        parts.append(f"It is called as `{task.entry_point}`.")
    if task.preamble.strip():
        parts.append(
            f"This code stands before yours and need not be repeated:\n"
            f"```{task.language}\n{task.preamble.strip()}\n```"
        )
    parts += [f"Context:\n{text}" for text in task.context]
    if task.constraints:
        parts.append("Constraints:\n" + "\n".join(f"- {rule}" for rule in task.constraints))
    if tests is not None:
        parts.append(_render_tests(tests, task))
    return "\n\n".join(parts)


def _render_tests(tests: Tests, task: Task) -> str:
    match tests:
        case Assertions(code=code):
            return f"It must pass these tests:\n```python\n{code.strip()}\n```"
        case PytestFile(source=source, module=module):
            return (
                f"It is imported as `{module}` and must pass these tests:\n"
                f"```python\n{source.strip()}\n```"
            )
        case Cases(cases=cases):
            lines = [_render_case(tests, case, task) for case in cases[:_MAX_EXAMPLES]]
            return "It must give these results:\n" + "\n".join(lines)
        case StdioPairs(pairs=pairs):
            examples = [
                f"Input:\n{pair.stdin}\nOutput:\n{pair.stdout}" for pair in pairs[:_MAX_EXAMPLES]
            ]
            return (
                "It is a program that reads standard input and writes standard output"
                f"{_COMPARE_NOTES[tests.compare]}:\n\n" + "\n\n".join(examples)
            )


def _render_case(tests: Cases, case: Case, task: Task) -> str:
    call = case.title(task.entry_point or "")
    if case.predicate is not None:
        return f"{call} -> {case.predicate}"
    tolerance = tests.tolerance_of(case)
    within = [
        f"{size:g} {kind}"
        for kind, size in (("absolute", tolerance.absolute), ("relative", tolerance.relative))
        if size
    ]
    return f"{call} -> {case.expected!r}" + (f" (within {' or '.join(within)})" if within else "")
