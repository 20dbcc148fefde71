"""Check, when a pipeline is built, that the types of its steps match.

Each check rejects definite mismatches only: where a type is not known, it passes.
"""

from collections.abc import Sequence
from typing import Any, NoReturn

from planish.abc import AcceptsFeedback, Outcome
from planish.errors import WiringError
from planish.runtime.primitive import Primitive
from planish.runtime.signature import format_type, intersect, is_assignable, members, union

__all__ = ["require_compatible", "require_feedback_input", "require_outcome", "shared_signature"]


def require_compatible(first: Primitive[Any, Any], second: Primitive[Any, Any]) -> None:
    """Check that one step's output can be the next one's input.

    Raises:
        WiringError: it cannot; the message names both.
    """
    output_type, input_type = first.signature[1], second.signature[0]
    if not is_assignable(output_type, input_type):
        raise WiringError(
            f"{first!r} returns {format_type(output_type)}, but {second!r} takes "
            f"{format_type(input_type)}: these types do not match"
        )


def shared_signature(parent_name: str, steps: Sequence[Primitive[Any, Any]]) -> tuple[Any, Any]:
    """Return the input type that all steps accept and the union of their output types.

    Args:
        parent_name: The combinator, for messages.
        steps: Its steps; each gets the same input.

    Raises:
        WiringError: there are no steps, or no value suits all of them; the message names two
            that differ.
    """
    if not steps:
        raise WiringError(f"{parent_name}() has no steps: pass at least one")
    input_type, output_type = steps[0].signature
    for index, step in enumerate(steps):
        input_type = intersect(input_type, step.signature[0])
        if input_type is NoReturn:
            _raise_no_common_input(parent_name, steps[: index + 1])
        output_type = union(output_type, step.signature[1])
    return input_type, output_type


def _raise_no_common_input(parent_name: str, steps: Sequence[Primitive[Any, Any]]) -> NoReturn:
    *before, last = steps
    unlike = (
        step for step in before if intersect(step.signature[0], last.signature[0]) is NoReturn
    )
    other = next(unlike, before[0])
    raise WiringError(
        f"{parent_name} runs its steps on the same input, but {other!r} takes "
        f"{format_type(other.signature[0])}, "
        f"and {last!r} takes {format_type(last.signature[0])}: no value is both"
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
            f"{parent_name} runs {step!r} again with feedback, but its input type "
            f"{format_type(input_type)} takes no feedback: it needs with_feedback(feedback)"
        )


def require_outcome(parent_name: str, step: Primitive[Any, Any]) -> None:
    """Check that a step returns outcomes.

    Args:
        parent_name: The combinator that compares outcomes, for the message: "Race".
        step: The step.

    Raises:
        WiringError: its output type does not have `passed`, `score` and `feedback`.
    """
    output_type = step.signature[1]
    if not is_assignable(output_type, Outcome):
        raise WiringError(
            f"{parent_name} needs outcomes (`passed`, `score`, `feedback`), but {step!r} returns "
            f"{format_type(output_type)}: end it with a Validator()"
        )
