"""The runner of the documentation's blocks, on documents that are right and wrong."""

from pathlib import Path

import pytest
from tests.house.blocks import Block, blocks, run

PAGE = """
# A page

```python
import anyio
TOTAL = 1
```

Some `inline` code, then a list:

- an indented block

  ```python title="two"
  async def two() -> int:
      await anyio.sleep(0)
      return TOTAL + 1

  TOTAL = await two()
  ```

~~~console
$ planish --help
~~~

```python
assert TOTAL == 2, TOTAL
```
"""


def _page(folder: Path, text: str) -> list[Block]:
    path = folder / "page.md"
    path.write_text(text, encoding="utf-8")
    return list(blocks(path))


def _python(found: list[Block]) -> list[Block]:
    return [block for block in found if block.info.startswith("python")]


def test_every_fence_is_found(tmp_path: Path) -> None:
    found = _page(tmp_path, PAGE)
    assert [b.info for b in found] == ["python", 'python title="two"', "console", "python"]
    assert [b.line for b in found] == [5, 14, 22, 26]
    assert found[1].text.startswith("async def two() -> int:\n    await")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_blocks_share_a_namespace_and_may_await(tmp_path: Path, backend: str) -> None:
    run(_python(_page(tmp_path, PAGE)), backend=backend)


def test_a_block_that_fails_is_named_by_its_line(tmp_path: Path) -> None:
    shown = _python(_page(tmp_path, PAGE.replace("== 2", "== 3")))
    with pytest.raises(AssertionError) as failed:
        run(shown, backend="asyncio")
    assert failed.traceback[-1].lineno == 25  # pytest counts from 0
    assert str(failed.traceback[-1].path).endswith("page.md")


def test_annotations_of_a_block_are_found(tmp_path: Path) -> None:
    text = (
        "```python\n"
        "from typing import get_type_hints\n"
        "class Own: ...\n"
        "def f(x: 'Own') -> None: ...\n"
        "assert get_type_hints(f)['x'] is Own\n"
        "```\n"
    )
    run(_page(tmp_path, text), backend="asyncio")
