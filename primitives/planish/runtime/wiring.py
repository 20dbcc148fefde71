"""Check, when a pipeline is built, that the types of its steps match.

Each check rejects definite mismatches only: where a type is not known, it passes.
"""

from collections.abc import AsyncGenerator, Generator, Iterator, Sequence
from functools import reduce
from types import NoneType
from typing import Any, NoReturn, cast

from planish.abc import AcceptsFeedback, Outcome
from planish.configuration import depth_of
from planish.errors import WiringError
from planish.representation import format_bounded
from planish.runtime.naming import given_name, with_article
from planish.runtime.primitive import Primitive
from planish.runtime.signature import format_type, intersect, is_assignable, members, union

__all__ = [
    "WrongInputError",
    "depth_of_parts",
    "flatten",
    "require_callable",
    "require_compatible",
    "require_feedback_input",
    "require_none_accepted",
    "require_object",
    "require_outcome",
    "shared_input",
    "shared_signature",
]


class WrongInputError(WiringError):
    """The value that a step was run on has another type than the step takes.

    Args:
        step: The step.
        value: The value.
        expected: What the step takes: "a Task".
        sender: The step that returned the value; None if it is the input of a run or a loop.
    """

    def __init__(
        self,
        step: Primitive[Any, Any],
        value: object,
        expected: str,
        sender: Primitive[Any, Any] | None = None,
    ) -> None:
        kind = "None" if value is None else with_article(type(value).__qualname__)
        source = "it was given" if sender is None else f"{format_bounded(sender)} returned"
        advice = ""
        if isinstance(value, str) and expected == "a Task":
            advice = ": make a Task of the text: Task('...', tests=...)"
        elif "with_feedback" in expected:
            advice = ", which takes no feedback"
        elif value is None and sender is not None:
            advice = ": does it lack a `return`?"
        elif isinstance(cast("Any", value), Generator | AsyncGenerator):
            advice = ": a step returns one value and has no `yield`"
        super().__init__(f"{format_bounded(step)} takes {expected}, but {source} {kind}{advice}")
        self.step = step
        self.value = value
        self.expected = expected

    def returned_by(self, sender: Primitive[Any, Any]) -> "WrongInputError":
        """Return the same error with the name of the step that returned the value."""
        return WrongInputError(self.step, self.value, self.expected, sender)


def require_none_accepted(step: Primitive[Any, Any]) -> None:
    """Check that a step takes None, which the step before it has returned.

    Raises:
        WrongInputError: None is not of the type of its input: mostly the step before lacks a
            `return`.
    """
    input_type = step.signature[0]
    if not is_assignable(NoneType, input_type):
        raise WrongInputError(step, None, with_article(format_type(input_type)))


def require_callable(parent_name: str, name: str, function: object, purpose: str) -> None:
    """Check that an argument is a function, if there is one.

    Args:
        parent_name: The class, for the message: "Retry".
        name: The parameter, for the message: "feedback".
        function: The argument; None is accepted.
        purpose: What the function does, for the message: "from an outcome to feedback".

    Raises:
        WiringError: it is not callable.
    """
    if function is not None and not callable(function):
        raise WiringError(f"{parent_name}({name}={function!r}): must be a function {purpose}")


def require_object(parent_name: str, kind: str, thing: object, *, members: str, maker: str) -> None:
    """Check that an argument is an object, not its class or its name.

    Args:
        parent_name: The class, for the message: "CodeGenerator".
        kind: What the argument is: "model".
        thing: The argument.
        members: What such an object has, for the message.
        maker: What makes one, for the message.

    Raises:
        WiringError: it is a class or a text.
    """
    if isinstance(thing, type):
        raise WiringError(
            f"{parent_name}({thing.__qualname__}): this is the class; pass an object of it: "
            f"{thing.__qualname__}(...)"
        )
    if isinstance(thing, str):
        raise WiringError(
            f"{parent_name}({thing!r}): this is a text; a {kind} is an object with {members}, "
            f"such as {maker}"
        )


def require_compatible(first: Primitive[Any, Any], second: Primitive[Any, Any]) -> None:
    """Check that one step's output can be the next one's input.

    Raises:
        WiringError: it cannot; the message names both.
    """
    output_type, input_type = first.signature[1], second.signature[0]
    if not is_assignable(output_type, input_type):
        raise WiringError(
            f"{format_bounded(first)} returns {format_type(output_type)}, but "
            f"{format_bounded(second)} takes "
            f"{format_type(input_type)}: these types do not match"
        )


def flatten(
    parts: Sequence[Primitive[Any, Any]], kind: type[Primitive[Any, Any]]
) -> list[Primitive[Any, Any]]:
    """Return the branches of a combinator: of a part of the same kind, those within it.

    A part with options, such as a limit of its own, or with a name stays one branch.

    Args:
        parts: What the combinator is made of.
        kind: Its class, which has `branches`.
    """
    flat: list[Primitive[Any, Any]] = []
    for part in parts:
        flat += getattr(part, "branches", ()) if _is_merged(part, kind) else (part,)
    return flat


def _is_merged(part: Primitive[Any, Any], kind: type[Primitive[Any, Any]]) -> bool:
    """Return whether the branches of a part become those of the combinator around it."""
    options = (getattr(part, name, None) for name in ("n", "concurrency"))
    unnamed = given_name(part) is None
    return isinstance(part, kind) and unnamed and all(option is None for option in options)


def depth_of_parts(parts: Sequence[Primitive[Any, Any]], kind: type[Primitive[Any, Any]]) -> int:
    """Return `depth_of` a combinator that flattens parts of its own kind.

    Args:
        parts: What the combinator is made of.
        kind: Its class.
    """
    depths = (depth_of(part) + (not _is_merged(part, kind)) for part in parts)
    return max(depths, default=1)


def shared_signature(
    parent_name: str,
    steps: Sequence[Primitive[Any, Any]],
    named: Sequence[Primitive[Any, Any]] = (),
) -> tuple[Any, Any]:
    """Return the input type that all steps accept and the union of their output types.

    Args:
        parent_name: The combinator, for messages.
        steps: Its steps; each gets the same input.
        named: The steps to name in messages, if `steps` has some of them in combinators.

    Raises:
        WiringError: there are no steps, or no value suits all of them; the message names two
            that differ.
    """
    input_type = shared_input(parent_name, steps, named)
    return input_type, reduce(union, (step.signature[1] for step in steps))


def shared_input(
    parent_name: str,
    steps: Sequence[Primitive[Any, Any]],
    named: Sequence[Primitive[Any, Any]] = (),
) -> Any:
    """Return the input type that all steps accept. Arguments and errors: `shared_signature`."""
    if not steps:
        raise WiringError(f"{parent_name}() has no steps: pass at least one")
    input_type = steps[0].signature[0]
    for index, step in enumerate(steps):
        input_type = intersect(input_type, step.signature[0])
        if input_type is NoReturn:
            if len(named) > len(steps):
                return shared_input(parent_name, named)
            _raise_no_common_input(parent_name, steps[: index + 1])
    return input_type


def _raise_no_common_input(parent_name: str, steps: Sequence[Primitive[Any, Any]]) -> NoReturn:
    *before, last = steps
    unlike = (
        step for step in before if intersect(step.signature[0], last.signature[0]) is NoReturn
    )
    other = next(unlike, before[0])
    raise WiringError(
        f"{parent_name} runs its steps on the same input, but {format_bounded(other)} takes "
        f"{format_type(other.signature[0])}, "
        f"and {format_bounded(last)} takes {format_type(last.signature[0])}: no value is both"
    )


def require_feedback_input(parent_name: str, step: Primitive[Any, Any]) -> None:
    """Check that a step's input type accepts feedback.

    Args:
        parent_name: The combinator that sends feedback, for the message: "Retry".
        step: The step.

    Raises:
        WiringError: its input type has no `with_feedback`.
    """
    input_type = step.signature[0]
    if not any(is_assignable(member, AcceptsFeedback) for member in members(input_type)):
        raise WiringError(
            f"{parent_name} runs {format_bounded(step)} again with feedback, but its input type "
            f"{format_type(input_type)} takes no feedback: it needs with_feedback(feedback)"
        )


def require_outcome(parent_name: str, step: Primitive[Any, Any]) -> None:
    """Check that a step returns outcomes.

    Args:
        parent_name: The combinator that compares outcomes, for the message: "Race".
        step: The step.

    Raises:
        WiringError: its output type does not have `passed`, `score` and `feedback`, or it runs
            held-out tests, whose result must not choose between outcomes.
    """
    output_type = step.signature[1]
    if not is_assignable(output_type, Outcome):
        raise WiringError(
            f"{parent_name} needs outcomes (`passed`, `score`, `feedback`), but "
            f"{format_bounded(step)} returns {format_type(output_type)}: end it with a Validator()"
        )
    for inner in _walk(step):
        if inner.runs_held_out_tests:
            raise WiringError(
                f"{parent_name} would run the held-out tests of {inner!r} several times, and use "
                f"their result: put Accept around {parent_name}"
            )


def _walk(step: Primitive[Any, Any]) -> Iterator[Primitive[Any, Any]]:
    yield step
    for child in type(step).children(step):
        yield from _walk(child)
