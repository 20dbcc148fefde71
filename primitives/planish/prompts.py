"""The default prompts of `CodeGenerator`: pure functions from a task to messages."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence

from planish.data.contract import Contract, FileFormat, Folder, ValueFile
from planish.data.feedback import Feedback
from planish.data.literal import to_source
from planish.data.message import Message
from planish.data.task import Task
from planish.data.tests import Assertions, Case, Cases, PytestFile, StdioPairs, Tests
from planish.guest.protocol import bounded
from planish.previews import is_text, preview

__all__ = [
    "CODE_CHARACTERS",
    "FEEDBACK_CHARACTERS",
    "INPUT_CHARACTERS",
    "Prompt",
    "default_prompt",
    "fenced",
    "prompt_without_tests",
]

Prompt = Callable[[Task], Sequence[Message]]
"""A function from a task to the messages of the request."""

CODE_CHARACTERS = 40_000
"""Most characters of the last attempt's code in a request; of longer code parts are left out."""

FEEDBACK_CHARACTERS = 24_000
"""Most characters of the evidence in a request."""

INPUT_CHARACTERS = 20_000
"""Most characters about the task's files in a request: names and sizes, then beginnings."""

_MAX_EXAMPLES = 20
_PAIR_CHARS = 4_000  # of an input, and of an output
_FILES_CHARS = 40_000  # of a candidate's other files together
_LINES_AROUND = 40  # of a defect in code that is too long to be shown whole
_LEAST_CHARS = 500
_NAMES_CHARS = 8_000  # of the names of the task's files
_HEAD_CHARS = 200  # of each of them
_HEAD_LINES = 20
_MAX_FORMAT = 2_000
_MAX_PATH = 200

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


def fenced(text: str, language: str = "", *, max_chars: int = 100_000) -> str:
    """Return text in a fenced block that nothing in the text can close.

    The fence is longer than any run of backticks in the text. A text that is too long is cut in
    its middle, with a line that states how many characters are left out. Use it for whatever a
    candidate wrote, in prompts of your own too.

    Args:
        text: The text; it may be hostile.
        language: The tag of the fence, one word.
        max_chars: Characters of text at most; 100,000 by default.

    Example:
        >>> print(fenced("x = 1", "python"))
        ```python
        x = 1
        ```
    """
    text = bounded(text, max_chars)
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def default_prompt(task: Task) -> Sequence[Message]:
    """Return messages with the requirement, its context, the tests, and the feedback, if any.

    What feedback adds is bounded, whatever the number of attempts and the length of code and
    outputs: `CODE_CHARACTERS`, as many again for other files, `FEEDBACK_CHARACTERS`, 1,000 for
    the words around, and the tokens of a `planish.feedback.window`, if there is one.
    """
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
            messages.append(Message("assistant", _previous_text(task, feedback)))
        text = feedback.render(FEEDBACK_CHARACTERS)
        messages.append(Message("user", f"{text}\n\n{_instruction(feedback)}".strip()))
    return messages


def _instruction(feedback: Feedback) -> str:
    if feedback.previous_code:
        return "Write the whole corrected solution."
    return "Take a different approach." if feedback.explore else "Write the whole solution."


def _shown_code(feedback: Feedback) -> str:
    """Return the last code, whole if it is short; else its ends and the lines around defects."""
    code = feedback.previous_code
    if len(code) <= CODE_CHARACTERS:
        return code
    lines = code.split("\n")
    wanted = {number for number in range(1, len(lines) + 1) if number <= _LINES_AROUND}
    wanted |= set(range(len(lines) - _LINES_AROUND, len(lines) + 1))
    for issue in feedback.issues:
        if issue.line is not None:
            wanted |= set(range(issue.line - _LINES_AROUND, issue.line + _LINES_AROUND + 1))
    parts: list[str] = []
    before = 0
    for number in sorted(number for number in wanted if 0 < number <= len(lines)):
        if number > before + 1:
            parts.append(f"# ... {number - before - 1} lines left out ...")
        parts.append(lines[number - 1])
        before = number
    return "\n".join(parts)


def _previous_text(task: Task, feedback: Feedback) -> str:
    """Return the previous code, each of several files under its path."""
    code = fenced(_shown_code(feedback), task.language, max_chars=CODE_CHARACTERS)
    if not feedback.previous_files:
        return code
    parts, left = [code], _FILES_CHARS
    for number, (path, content) in enumerate(feedback.previous_files.items()):
        if left < len(path) + _LEAST_CHARS:
            parts.append(f"({len(feedback.previous_files) - number} more files)")
            break
        parts.append(f"{_path_text(path)}:\n" + fenced(content, max_chars=left))
        left -= len(path) + min(len(content), left)
    return "\n\n".join(parts)


def _inputs_text(files: Mapping[str, bytes]) -> str:
    """Return the names and sizes of the task's files, then the beginnings of those with text."""
    parts = ["These files are in the working directory:\n" + _names_text(files)]
    left = INPUT_CHARACTERS - len(parts[0])
    for path, content in files.items():
        if left < _LEAST_CHARS or not content or not is_text(content):
            continue
        head = preview(content, rows=_HEAD_LINES, chars=_HEAD_CHARS)
        part = f"{_path_text(path)} begins with:\n{fenced(head)}"
        if len(part) + 2 <= left:
            parts.append(part)
            left -= len(part) + 2
    return "\n\n".join(parts)


def _outputs_text(contract: Contract) -> str:
    """Return what the contract says about the outputs."""
    lines = [
        f"- {_path_text(path)}: {bounded(one.describe(), _MAX_FORMAT)}"
        + (" (may be missing)" if one.optional else "")
        for path, one in contract.outputs.items()
    ]
    folder = _path_text(contract.folder)
    text = f"It must write these files into the folder {folder}, which exists and must stay:\n"
    return text + bounded("\n".join(lines), _NAMES_CHARS)


def _arguments_text(contract: Contract, files: Mapping[str, bytes]) -> str:
    """Return how the program is started, and what each argument is."""
    lines = [
        f"- `--{name}`: {_path_of(contract.inputs[path])}"
        + bounded(contract.inputs[path].describe(), _MAX_FORMAT)
        for name, path in contract.arguments.items()
    ]
    command = shlex.join(contract.argument_texts(files))
    text = "It is a program that reads its arguments. It is started with, for example:\n"
    text += fenced(bounded(command, _PAIR_CHARS))
    return f"{text}\n" + bounded("\n".join(lines), _NAMES_CHARS)


def _path_of(one: FileFormat | Folder) -> str:
    """Return the words between the name of an argument and the description of its format."""
    if isinstance(one, ValueFile):
        return ""
    return "the path of " if isinstance(one, Folder) else "the path of a file: "


def _names_text(files: Mapping[str, bytes]) -> str:
    """Return the names and sizes of files, as many as fit."""
    lines: list[str] = []
    left = _NAMES_CHARS
    for path, content in files.items():
        line = f"- {_path_text(path)} ({len(content):,} bytes)"
        left -= len(line) + 1
        if left < 0:
            lines.append(f"- {len(files) - len(lines):,} more files")
            break
        lines.append(line)
    return "\n".join(lines)


def _path_text(path: str) -> str:
    """Return a path as code that nothing in the path can end, cut if it is very long."""
    text = path if path.isprintable() and "`" not in path else ascii(path).replace("`", "\\x60")
    return f"`{text}`" if len(text) <= _MAX_PATH else f"`{text[:_MAX_PATH]}` ..."


def _requirement_text(task: Task, tests: Tests | None) -> str:
    parts = [task.requirement.strip()]
    if task.entry_point:
        parts.append(f"It is called as `{task.entry_point}`.")
    if task.preamble.strip():
        parts.append(
            "This code stands before yours and need not be repeated:\n"
            + fenced(task.preamble.strip(), task.language)
        )
    parts += [_inputs_text(task.files)] if task.files else []
    contract = task.contract
    if contract and contract.arguments:
        parts.append(_arguments_text(contract, task.files))
    parts += [_outputs_text(contract)] if contract and contract.outputs else []
    parts += [f"Context:\n{text}" for text in task.context]
    if task.constraints:
        parts.append("Constraints:\n" + "\n".join(f"- {rule}" for rule in task.constraints))
    if tests is not None:
        parts.append(_render_tests(tests, task))
    return "\n\n".join(parts)


def _render_tests(tests: Tests, task: Task) -> str:
    match tests:
        case Assertions(code=code):
            return "It must pass these tests:\n" + fenced(code.strip(), "python")
        case PytestFile(source=source, module=module):
            return f"It is imported as `{module}` and must pass these tests:\n" + fenced(
                source.strip(), "python"
            )
        case Cases(cases=cases):
            lines = [_render_case(tests, case, task) for case in cases[:_MAX_EXAMPLES]]
            return "It must give these results:\n" + "\n".join(lines)
        case StdioPairs(pairs=pairs):
            examples = [
                f"Input:\n{bounded(pair.stdin, _PAIR_CHARS)}\n"
                f"Output:\n{bounded(pair.stdout, _PAIR_CHARS)}"
                for pair in pairs[:_MAX_EXAMPLES]
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
    return f"{call} -> {to_source(case.expected)}" + (
        f" (within {' or '.join(within)})" if within else ""
    )
