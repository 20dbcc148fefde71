"""Work in a session as in a notebook: variables stay, and what is shown is apart from what is said.

Each request is a loop of its own. The code of a passing attempt stays in the session, so that the
next request can use its variables. The first reply of the second request uses a name that is not
there; its error is in the next request. Nothing here needs an account.
"""

import anyio

from planish import CodeExecution, CodeGenerator, Execution, Primitive, Retry, Task, Validator
from planish.abc import Session
from planish.data import Report, Status
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSession

SALES = b"region,amount\nnorth,20\nsouth,35\nnorth,15\nwest,10\n"

LOADS = """```python
import csv

with open("sales.csv", newline="") as file:
    sales = [(row["region"], int(row["amount"])) for row in csv.DictReader(file)]
print(len(sales), "rows")
sales[:2]
```"""

OTHER_NAME = """```python
sum(amount for _, amount in rows)
```"""

ADDS = """The list is called `sales`.

```python
class Bars:
    def _repr_svg_(self):
        rows = enumerate(size for _, size in sales)
        bars = [f"<rect y='{8 * n}' width='{size}' height='6'/>" for n, size in rows]
        return f"<svg xmlns='http://www.w3.org/2000/svg'>{''.join(bars)}</svg>"


print("added", len(sales), "amounts", end="")
display(Bars())
sum(amount for _, amount in sales)
```"""


def shows_a_value(execution: Execution) -> bool:
    """Judge a step: it has run, and it has shown the value of its last expression."""
    has_value = any(display.main for display in execution.displays)
    return execution.status is Status.SUCCESS and has_value


def notebook(session: Session, model: ScriptedModel) -> Primitive[Task, Report]:
    step = CodeGenerator(model) >> CodeExecution(session) >> Validator(shows_a_value)
    return Retry(step, attempts=3)


async def main() -> None:
    model = ScriptedModel([LOADS, OTHER_NAME, ADDS], name="offline")
    async with LocalSession(files={"sales.csv": SALES}) as session:
        ask = notebook(session, model)
        for request in ("Load sales.csv and show the first rows.", "Add the amounts; draw them."):
            variables = [
                f"{one.name}: {one.type} = {one.preview}" for one in await session.variables()
            ]
            report = await ask.run(Task(request, context=variables))
            execution = report.unwrap().execution
            print(f"{request} ({report.attempts} attempts)")
            print(f"  printed: {execution.stdout!r}")
            for display in execution.displays:
                print(f"  shown: {display.text} ({', '.join(display.forms)})")
    print(f"\nThe model was told:\n{model.requests[2].messages[-1].content}")


if __name__ == "__main__":
    anyio.run(main)
