"""Foreign source is compiled without warnings, from any number of threads."""

import ast
import threading
import warnings

from planish.compiling import without_warnings
from planish.extraction import extract

DEEP = "x = " + "[" * 60 + "1" + "]" * 60 + "\n"


def test_the_compiler_warns_of_nothing() -> None:
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with without_warnings():
            compile("x = '\\d' is 1", "theirs", "exec")
    assert seen == []


def test_one_thread_at_a_time_is_in_there() -> None:
    inside: list[int] = []
    together: list[int] = []

    def work(number: int) -> None:
        for _ in range(200):
            with without_warnings():
                inside.append(number)
                together.append(len(inside))
                ast.parse(DEEP)
                inside.remove(number)
            assert extract(f"```python\n{DEEP}```").code == DEEP.rstrip()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(together) == {1}
    assert len(together) == 800


def test_it_can_be_entered_again() -> None:
    with without_warnings(), without_warnings():
        assert ast.parse("1")
