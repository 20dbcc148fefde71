"""Threads of the code that wait for what the tests do later."""

import pytest
from tests.verification.conftest import Run
from tests.verification.test_evidence import reasons

from planish.data.status import Status

WORKERS = """
import threading
class Workers:
    def __init__(self, work, number):
        self.threads = [threading.Thread(target=work, daemon=True) for _ in range(number)]
        for one in self.threads: one.start()
    def join(self):
        for one in self.threads: one.join()
def drain(queue, found, number=2):
    def work():
        while (item := queue.get()) is not None:
            found.append(ITEM)
            queue.task_done()
    return Workers(work, number)
def after(event, found):
    def work():
        event.wait()
        found.append(2)
    return Workers(work, 1)
def acquire(semaphore, found):
    def work():
        semaphore.acquire()
        found.append(2)
    return Workers(work, 1)
"""
WAITING = {
    "a queue": """
import queue
q, found = queue.Queue(), []
workers = drain(q, found)
for n in range(4): q.put(n)
q.join()
q.put(None); q.put(None)
workers.join()
assert sorted(found) == [0, 2, 4, 6]
""",
    "an event": """
import threading
event, found = threading.Event(), []
workers = after(event, found)
assert found == []
event.set()
workers.join()
assert found == [2]
""",
    "a semaphore": """
import threading
gate, found = threading.Semaphore(0), []
workers = acquire(gate, found)
gate.release()
workers.join()
assert found == [2]
""",
}


@pytest.mark.parametrize("name", WAITING)
def test_a_thread_of_the_code_waits_for_what_the_tests_do_after_it_has_started(
    run: Run, name: str
) -> None:
    right = run(WORKERS.replace("ITEM", "item * 2"), tests=WAITING[name])
    assert right.status is Status.SUCCESS
    assert reasons(right) == set()


def test_what_wrong_threads_have_done_fails(run: Run) -> None:
    wrong = run(WORKERS.replace("ITEM", "item * 3"), tests=WAITING["a queue"])
    assert wrong.tests[-1].status == "failed"


def test_a_thread_that_waits_for_ever_leaves_the_tests_to_the_time_limit(run: Run) -> None:
    tests = "import queue\nq, found = queue.Queue(), []\ndrain(q, found).join()\nassert found == []"
    assert run(WORKERS.replace("ITEM", "item"), tests=tests, seconds=2).status is Status.TIMEOUT
