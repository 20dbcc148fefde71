"""Run the user's checker on outputs of a program. No candidate runs in this process."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["main"]

_TEXT = 2000  # characters of a reason


def main() -> None:
    """Check each pair of `pairs.json` and write a line for each to `checked.jsonl`.

    A line is an object with "pair" and "state": "begun", "right", "wrong" or "broken" (the
    checker refuses the expected output itself), and "message".
    """
    import json  # noqa: PLC0415

    with open("pairs.json", encoding="utf-8") as file:  # noqa: PTH123
        pairs = json.load(file)
    with open("checker.py", encoding="utf-8") as file:  # noqa: PTH123
        source = file.read()
    with open("checked.jsonl", "w", encoding="ascii") as out:  # noqa: PTH123

        def put(pair: int, state: str, message: str = "") -> None:
            out.write(json.dumps({"pair": pair, "state": state, "message": message[:_TEXT]}) + "\n")
            out.flush()

        for number, *texts in pairs:
            put(number, "begun")
            put(number, *_judge(source, *texts))


def _judge(source: str, stdin: str, expected: str, actual: str) -> tuple[str, str]:
    reason = _ask(source, stdin, expected, actual)
    if reason is None:
        return "right", ""
    broken = _ask(source, stdin, expected, expected)
    if broken is None:
        return "wrong", reason
    return "broken", f"the checker does not accept the expected output itself: {broken}"


def _ask(source: str, stdin: str, expected: str, actual: str) -> str | None:
    """Return why an output is wrong; None if it is right."""
    try:
        space: dict[str, Any] = {"__name__": "checker"}
        code = compile(source, "checker.py", "exec", dont_inherit=True, optimize=0)
        exec(code, space)  # noqa: S102  # the user's checker
        answer = space["check"](stdin, expected, actual)
    except BaseException as error:  # noqa: BLE001  # an output that cannot be read is wrong
        return f"the checker raised {type(error).__name__}: {error}"
    if answer is True:
        return None
    return answer if isinstance(answer, str) and answer else "the checker says no"


if __name__ == "__main__":
    main()
