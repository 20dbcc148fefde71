"""A table of cases: call the entry point, report what it gives. The host compares."""

from __future__ import annotations

from .bounds import VALUE, bounded
from .compare import Rules, difference
from .guard import PRIVATE, is_a, name_of
from .record import Recorder, finish
from .show import show
from .watch import expect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .channel import Put
    from .failure import Witness
    from .judge import Judge

__all__ = ["run_cases"]

_VALUES = {name: PRIVATE[name] for name in ("set", "frozenset", "float")}


def run_cases(plan: dict[str, Any], judge: Judge, put: Put, witness: Witness) -> None:
    """Call the entry point once for each case.

    Args:
        plan: "entry": its name, with dots where it is within something and "()" where an object
            is to be made; "cases": for each the
            source of "args", "kwargs" and "expected" or "predicate", "tolerance" (absolute and
            relative), "any_sequence" (a list may be a tuple), and "limit", the most characters
            of a value that could still be the expected one.
        judge: Has it.
        put: Where results go.
        witness: Called with everything that is raised.
    """
    recorder = Recorder(put, witness, judge.evidence)
    judge.want([plan["entry"].split(".")[0].removesuffix("()")])
    for number, case in enumerate(plan["cases"]):
        recorder.begin(number)
        try:
            entry = _find(plan["entry"], judge.space)
            if entry is None:
                put("raised", test=number, **witness.failed("NameError", _missing(plan, judge)))
                continue
            result = finish(entry(*_value(case["args"]), **_value(case["kwargs"])))
            _report(number, case, result, put)
        except BaseException as error:  # noqa: BLE001  # a candidate may raise what it likes
            recorder.raised(error)
        else:
            recorder.passed(relies=True)  # it was called


def _find(entry: str, space: Any) -> Any:
    """Return what an entry point names, as `f`, `module.f`, `Class.method` or `Class().method`.

    An object that is needed for it is made anew each time: no case sees what another has left
    in it. None if there is no such name.
    """
    found: Any = None
    holder: Any = None
    name = entry
    for index, part in enumerate(entry.split(".")):
        name = part.removesuffix("()")
        holder = found
        found = space.names.get(name) if index == 0 else getattr(found, name, None)
        if found is not None and name != part:
            found = found()
    unbound = name_of(found) == "function" and is_a(holder, type)
    return _method(holder, name, found) if unbound else found


def _method(kind: Any, name: str, function: Any) -> Any:
    """Return the method of a fresh object, and the function itself if it needs no object."""
    try:
        method = getattr(kind(), name)
    except BaseException:  # noqa: BLE001  # a class with static methods only may need arguments
        return function
    return method if getattr(method, "__self__", None) is not None else function


def _missing(plan: dict[str, Any], judge: Judge) -> str:
    names = judge.endpoint.ask("callables")
    instead = ", ".join(names[:10]) or "nothing that can be called"
    return f"the code does not define {plan['entry']!r}; it defines: {instead}"


def _value(source: str) -> Any:
    """Make a new value from the host's text, so that no case sees another's changes."""
    code = expect(compile(source, "case", "eval", dont_inherit=True))
    return eval(code, {"__builtins__": _VALUES})  # noqa: S307  # the host wrote it


def _report(number: int, case: dict[str, Any], result: Any, put: Put) -> None:
    if case["predicate"] is not None:
        code = expect(compile(case["predicate"], "predicate", "eval", dont_inherit=True))
        names = {"__builtins__": PRIVATE, "result": result}
        truth = bool(eval(code, names))  # noqa: S307  # the user wrote it
        put("value", test=number, shown=show(result, VALUE)[0], equal=truth)
        return
    source, plain = show(result, case["limit"], by_base=True)
    kind = bounded(name_of(result), VALUE)
    facts: dict[str, Any] = {"shown": show(result, VALUE)[0], "type": kind}
    if plain:
        facts["source"] = source
    else:
        rules = Rules(*case["tolerance"], any_sequence=case["any_sequence"])
        reason = difference(result, _value(case["expected"]), rules)
        facts["equal"] = reason is None
        facts["reason"] = reason or ""
        facts["iterator"] = hasattr(result, "__next__")
    put("value", test=number, **facts)
