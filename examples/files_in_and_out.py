"""Give a task a CSV file, take back a table and a picture, and check their formats.

The example needs no account: an offline model first forgets the picture, then writes both files.
The code uses the standard library only, so it draws the picture, a PNG, by itself.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio

from planish import CodeExecution, CodeGenerator, Retry, Task, Validator
from planish.data import Contract, CsvFile, ImageFile
from planish.testing import ScriptedModel
from planish_integrations.local import LocalSandbox

SALES = """region,amount
north,20
south,35
north,15
west,10
"""

TASK = Task(
    "Add the amounts of each region. Write totals.csv, sorted by region, and chart.png, a bar "
    "chart with one bar for each region. report() writes both and returns the totals as a dict.",
    entry_point="report",
    tests="assert report() == {'north': 35, 'south': 35, 'west': 10}",
    files={"data/sales.csv": SALES},
    contract=Contract(
        inputs={"data/sales.csv": CsvFile(columns={"region": "str", "amount": "int"})},
        outputs={
            "totals.csv": CsvFile(columns={"region": "str", "total": "int"}, rows=3),
            "chart.png": ImageFile(formats=("png",)),
        },
    ),
)

TOTALS = """import csv
from collections import Counter


def totals():
    found = Counter()
    with open("data/sales.csv", newline="") as file:
        for row in csv.DictReader(file):
            found[row["region"]] += int(row["amount"])
    return dict(sorted(found.items()))


def write_table(found):
    with open("out/totals.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["region", "total"])
        rows.writerows(found.items())
"""

WITHOUT_PICTURE = f"""```python
{TOTALS}

def report():
    found = totals()
    write_table(found)
    return found
```
"""

WITH_PICTURE = f"""The picture was missing.

```python
import struct
import zlib
{TOTALS}

def chunk(kind, data):
    checksum = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + checksum


def write_chart(values, width=20):
    height = max(values)
    rows = [
        b"\\0" + b"".join((b"\\x30" if value >= level else b"\\xff") * width for value in values)
        for level in range(height, 0, -1)
    ]
    size = struct.pack(">IIBBBBB", width * len(values), height, 8, 0, 0, 0, 0)
    with open("out/chart.png", "wb") as file:
        file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", size))
        file.write(chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b""))


def report():
    found = totals()
    write_table(found)
    write_chart(list(found.values()))
    return found
```
"""


def save(artifacts: Mapping[str, bytes], folder: Path) -> None:
    for path, content in artifacts.items():
        (folder / path).write_bytes(content)
        print(f"{path}: {len(content)} bytes")


async def main() -> None:
    model = ScriptedModel([WITHOUT_PICTURE, WITH_PICTURE], name="offline")
    loop = Retry(CodeGenerator(model) >> CodeExecution(LocalSandbox()) >> Validator(), attempts=3)
    report = await loop.run(TASK)
    for attempt in report.history:
        print(f"attempt {attempt.index}: {attempt.status}")
        for finding in attempt.verdict.findings:
            print(f"    {finding.message}; expected: {finding.expected}")
    print(f"{'passed' if report.passed else 'failed'} ({report.stop_reason})\n")
    with tempfile.TemporaryDirectory() as folder:
        save(report.unwrap().execution.artifacts, Path(folder))
        print(f"\n{(Path(folder) / 'totals.csv').read_text(encoding='utf-8')}")


if __name__ == "__main__":
    anyio.run(main)
