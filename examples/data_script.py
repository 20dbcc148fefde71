"""Generate a script: typed inputs as command line arguments, typed outputs as files.

The contract names each input and output with its type. The script takes them with argparse, and
what it leaves is checked. The first reply writes a total that is no number; the second is right.
Nothing here needs an account: the model is offline, the sandbox is this machine's.
"""

import shlex
from datetime import datetime, timedelta

import anyio

from planish import CodeExecution, CodeGenerator, Execution, Retry, Task, Validator
from planish.data import Contract, CsvFile, Folder, ImageFile, Status, ValueFile
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

READINGS = """at,amount
2026-01-31T22:00:00,20
2026-01-31T23:00:00,35
2026-02-01T00:30:00,15
2026-02-03T00:00:00,99
"""

CONTRACT = Contract(
    inputs={
        "readings.csv": CsvFile(columns={"at": "datetime", "amount": "int"}),
        "since": ValueFile(type="datetime"),
        "window": ValueFile(type="timedelta"),
        "rate": ValueFile(type="float"),
        "unit": ValueFile(type="str"),
    },
    outputs={
        "total": ValueFile(type="float"),
        "until": ValueFile(type="datetime"),
        "complete": ValueFile(type="bool"),
        "plot.gif": ImageFile(formats=("gif",)),
        "days": Folder(of=CsvFile(columns={"at": "datetime", "amount": "int"}), least=2),
    },
    arguments={
        "readings": "readings.csv",
        "since": "since",
        "window": "window",
        "rate": "rate",
        "unit": "unit",
    },
)

TASK = Task(
    "Add the amounts of the readings from --since on, for --window, and multiply them by --rate. "
    "Write the total, the end of the window, whether there are readings after it, a bar chart, and "
    "a table for each day in the folder days.",
    files={
        "readings.csv": READINGS,
        "since": datetime(2026, 1, 31, 22),  # noqa: DTZ001 - local times, as in the table
        "window": timedelta(days=1),
        "rate": 0.5,
        "unit": "kWh",
    },
    contract=CONTRACT,
)

SCRIPT = '''
import argparse, csv, datetime, pathlib, re, struct

parser = argparse.ArgumentParser()
parser.add_argument("--readings", type=pathlib.Path, required=True)
parser.add_argument("--since", type=datetime.datetime.fromisoformat, required=True)
parser.add_argument("--window", required=True)
parser.add_argument("--rate", type=float, required=True)
parser.add_argument("--unit", required=True)
args = parser.parse_args()

days, hours, minutes, seconds = map(int, re.fullmatch(
    r"(?:(-?\\d+) days?, )?(\\d+):(\\d+):(\\d+)", args.window
).groups(default="0"))
window = datetime.timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
until = args.since + window
with args.readings.open(newline="") as file:
    rows = list(csv.DictReader(file))
inside = [r for r in rows if args.since <= datetime.datetime.fromisoformat(r["at"]) < until]

out = pathlib.Path("out")
total = sum(int(row["amount"]) for row in inside) * args.rate
(out / "total").write_text(TOTAL)
(out / "until").write_text(until.isoformat())
(out / "complete").write_text(str(any(row not in inside for row in rows)))
(out / "days").mkdir()
for day in sorted({row["at"][:10] for row in inside}):
    with (out / "days" / f"{day}.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, ["at", "amount"])
        table.writeheader()
        table.writerows(row for row in inside if row["at"].startswith(day))


def gif(width, height, is_dark):
    """Return a picture in black and white; codes of three bits, cleared before each pixel."""
    bits, codes = 0, 0
    for code in [c for y in range(height) for x in range(width) for c in (4, is_dark(x, y))] + [5]:
        bits |= code << codes
        codes += 3
    data = bits.to_bytes((codes + 7) // 8, "little")
    parts = [data[start:start + 255] for start in range(0, len(data), 255)]
    blocks = b"".join(bytes([len(part)]) + part for part in parts)
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + b"\\xff" * 3 + bytes(3)
    return head + b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\\2" + blocks + b"\\0;"


amounts = [int(row["amount"]) for row in inside]
picture = gif(8 * len(amounts), 40, lambda x, y: int(x % 8 < 6 and 40 - y <= amounts[x // 8]))
(out / "plot.gif").write_bytes(picture)
print(f"{total:.1f} {args.unit}")
'''

TOTALS = ('f"{total} {args.unit}"', "str(total)")  # of the first reply, and of the second

REPLIES = [f"```python\n{SCRIPT.replace('TOTAL', total)}```" for total in TOTALS]


def has_run(execution: Execution) -> bool:
    return execution.status is Status.SUCCESS


async def main() -> None:
    model = ScriptedModel(REPLIES, name="offline")
    # Without tests, this judge decides: the script has run, and its outputs are as required.
    attempt = CodeGenerator(model) >> CodeExecution(LocalSandbox()) >> Validator(has_run)
    report = await Retry(attempt, attempts=3).run(TASK)
    print("arguments:", shlex.join(CONTRACT.argument_texts(TASK.files)))
    for one in report.history:
        print(f"attempt {one.index}: {one.status}", *(test.message for test in one.execution.tests))
    execution = report.unwrap().execution
    print(f"printed: {execution.stdout.strip()}")
    for name, value in CONTRACT.read(execution.artifacts).items():
        print(f"{name}: {f'{len(value)} bytes' if isinstance(value, bytes) else value}")


if __name__ == "__main__":
    anyio.run(main)
