"""What the inside of a session answers, as values. It is untrusted: each field is checked."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any, cast

from planish.data import Completed, Display, Variable
from planish.data.program import limit_name
from planish.errors import SandboxLostError
from planish_integrations.sandboxes.host import left_out

__all__ = ["completed", "content", "listing", "variables"]


def completed(
    answer: Mapping[str, Any], isolation: Mapping[str, Any], folder: str | None = None
) -> Completed:
    """How a step or a program ended.

    Args:
        answer: What was answered.
        isolation: `isolation` and `guarantees` of the sandbox.
        folder: `Program.outputs`.

    Raises:
        SandboxLostError: the answer is none.
    """
    try:
        code = cast("int | None", answer["exit"])
        limit = limit_name(answer["limit"])
        return Completed(
            exit_code=None if code is None or code < 0 else code,
            signal=-code if code is not None and code < 0 and limit is None else None,
            limit=limit,
            stdout=_bytes(answer["stdout"]),
            stderr=_bytes(answer["stderr"]),
            duration=float(answer["seconds"]),
            cpu_seconds=None if answer["cpu"] is None else float(answer["cpu"]),
            results=_bytes(answer["results"]) if "results" in answer else None,
            files={path: _bytes(data) for path, data in answer.get("files", {}).items()},
            artifacts={path: _bytes(data) for path, data in answer.get("outputs", {}).items()},
            findings=tuple(
                left_out(str(path), _bytes(why), folder) for path, why in answer.get("left_out", ())
            ),
            displays=tuple(_display(shown) for shown in answer.get("displays", ())),
            **isolation,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SandboxLostError(f"the session sent a malformed message: {error!r}") from error


def _display(shown: Mapping[str, Any]) -> Display:
    forms = {str(kind): _bytes(form) for kind, form in shown["forms"].items()}
    return Display(forms=forms, main=bool(shown["main"]))


def _bytes(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("no base64") from error


def variables(answer: Mapping[str, Any]) -> tuple[Variable, ...]:
    """The variables, in short.

    Raises:
        SandboxLostError: the answer is none.
    """
    try:
        return tuple(_variable(found) for found in answer["variables"])
    except (KeyError, TypeError, ValueError) as error:
        raise SandboxLostError(f"the session sent a malformed message: {error!r}") from error


def _variable(found: Mapping[str, Any]) -> Variable:
    shape = cast("Sequence[int] | None", found["shape"])
    return Variable(
        name=str(found["name"]),
        type=str(found["type"]),
        shape=None if shape is None else tuple(int(size) for size in shape),
        preview=str(found["preview"]),
    )


def content(answer: Mapping[str, Any]) -> bytes | None:
    """A file's content; None where there is none."""
    data = answer.get("content")
    return None if data is None else _bytes(data)


def listing(answer: Mapping[str, Any]) -> Mapping[str, int]:
    """Path to size of all that lies in the session's folder."""
    return {str(path): int(size) for path, size in answer["files"]}
