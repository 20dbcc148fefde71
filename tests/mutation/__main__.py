"""`python -m tests.mutation --seed 1 --area core`: draw mutations, judge them, print survivors."""

import argparse
import math
import time
from dataclasses import replace
from pathlib import Path

from tests.mutation.areas import AREAS, area_named
from tests.mutation.judging import Judgement
from tests.mutation.run import Drawn, copied, drawn, score

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Read the options, run, and print a line for each mutation and a table at the end."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--seed", type=int, required=True, help="what the mutations are drawn by")
    parser.add_argument("--area", action="append", choices=[area.name for area in AREAS])
    parser.add_argument("--count", type=int, default=20, help="of mutations per area")
    parser.add_argument(
        "--seconds",
        type=float,
        default=math.inf,
        help="of tests per mutation, likely and quick ones first: a score is then a lower bound",
    )
    parser.add_argument("--list", action="store_true", help="print the mutations; judge none")
    parser.add_argument("--keep", type=Path, help="folder for results of unmutated tests")
    options = parser.parse_args()
    areas = [area_named(name) for name in options.area] if options.area else AREAS
    table: list[str] = []
    with copied(ROOT, options.keep) as copy:
        for area in areas:
            chosen = drawn(copy.root, area, options.seed, options.count)
            if options.list:
                print(*(f"{area.name}: {one}" for one in chosen), sep="\n")
                continue
            began = time.monotonic()
            baseline = replace(copy.baseline(area), bound=options.seconds)
            print(f"{area.name}: {len(baseline.seconds)} tests, {time.monotonic() - began:.0f} s")
            result = score(copy, chosen, baseline, _print)
            table.append(
                f"{area.name:13} {result.killed:3} killed {len(result.survived):3} survived"
                f" {result.equivalent:3} equivalent {result.share:6.0%}"
                f" {time.monotonic() - began:5.0f} s"
            )
            print(table[-1], flush=True)
    print(f"seed {options.seed}", *table, sep="\n")


def _print(one: Drawn, judgement: Judgement) -> None:
    if judgement.killed_by is None:
        print(f"  SURVIVED {judgement.tests} tests: {one}", flush=True)
    else:
        where = f"{one.path}:{one.mutation.line} [{one.mutation.operator}]"
        print(f"  killed {where} by {judgement.killed_by}", flush=True)


if __name__ == "__main__":
    main()
