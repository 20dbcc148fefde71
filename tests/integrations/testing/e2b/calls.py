"""Calls that E2B's code-interpreter server and its double have to answer alike."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from tests.integrations.testing.e2b.client import Answer, Client

__all__ = ["CONVERSATIONS", "Conversation"]

Conversation = Callable[[Client], Answer]


def _created_in_a_folder(client: Client) -> Answer:
    client.execute("import os; os.makedirs('sub', exist_ok=True)")
    made = client.request("POST", "/contexts", json={"cwd": "/home/user/sub"})
    there = client.execute("%pwd", context_id=made[2]["id"])
    return [made[0], made[1], sorted(made[2]), made[2]["cwd"], made[2]["language"], there]


def _created_in_no_folder(client: Client) -> Answer:
    status, _, made = client.request("POST", "/contexts", json={"cwd": "/no/such"})
    return [status, made["cwd"], client.execute("%pwd", context_id=made["id"])]


def _created(client: Client) -> Answer:
    made = client.request("POST", "/contexts", json={})
    return [made[0], made[1], sorted(made[2]), made[2]["cwd"], made[2]["language"]]


def _listed(client: Client) -> Answer:
    client.context()
    listed = client.request("GET", "/contexts")
    return [listed[0], listed[1], {one["language"] for one in listed[2]} >= {"python"}]


def _languages(client: Client) -> Answer:
    return sorted({one["language"] for one in client.request("GET", "/contexts")[2]})


def _removed(client: Client) -> Answer:
    identity = client.context()
    path = f"/contexts/{identity}"
    first = client.request("DELETE", path)
    return [first, client.request("DELETE", path), client.execute("1", context_id=identity)]


def _restarted(client: Client) -> Answer:
    identity = client.context()
    client.execute("x = 1", context_id=identity)
    answer = client.request("POST", f"/contexts/{identity}/restart")
    return [answer, client.execute("x", context_id=identity)]


def _default_context(client: Client) -> Answer:
    return [
        client.execute("of_default = 1"),
        client.execute("of_default", language="python"),
        client.execute("of_default", context_id="default"),
        client.execute("of_default", language=" Python "),
        client.execute("of_default", context_id=client.context()),
    ]


def _death(client: Client) -> Answer:
    identity = client.context()
    client.execute("y = 1", context_id=identity)
    return [client.execute("import os; os._exit(0)", context_id=identity)]


def _death_after_output(client: Client) -> Answer:
    identity = client.context()
    code = "import os, time; print('out', flush=True); time.sleep(.5); os.kill(os.getpid(), 9)"
    return [client.execute(code, context_id=identity)]


def _life_after_death(client: Client) -> Answer:
    identity = client.context()
    client.execute("import os; os._exit(0)", context_id=identity)
    time.sleep(2)
    return [client.execute("1 + 1", context_id=identity)]


def _death_between_cells(client: Client) -> Answer:
    identity = client.context()
    code = "import os, threading; threading.Timer(0.2, os._exit, [0]).start()"
    first = client.execute(code, context_id=identity)
    time.sleep(6)  # until there is another kernel
    return [first, client.execute("'os' in globals()", context_id=identity)]


def _exit(client: Client) -> Answer:
    identity = client.context()
    first = client.execute("print('before')\nx = 1\nexit(3)\nprint('after')", context_id=identity)
    return [first, client.execute("x", context_id=identity)]


def _abandoned(client: Client) -> Answer:
    """A cell that is sent while the one before it, whose client has left, is interrupted."""
    identity = client.context()
    code = "import time; print('begun', flush=True); time.sleep(600)"
    for event in client.stream(code, context_id=identity):
        if event["type"] == "stdout":
            break
    return client.execute("1", context_id=identity)


def _after_an_interrupt(client: Client) -> Answer:
    identity = client.context()
    code = "import time; print('begun', flush=True); time.sleep(600)"
    for event in client.stream(code, context_id=identity):
        if event["type"] == "stdout":
            break
    time.sleep(3)
    return client.execute("'time' in globals()", context_id=identity)


def _variables_of_a_cell(client: Client) -> Answer:
    identity = client.context()

    def run(code: str, **variables: str) -> Answer:
        options = {"env_vars": variables} if variables else {}
        return client.execute(code, context_id=identity, **options)

    read = "import os; os.environ.get('A')"
    return [
        run("import os; os.environ.get('SET_AT_CREATION')"),
        run(read, A="b"),
        run(read),
        run("    " + read, A="c"),
        run(read, A="it's"),
        run(read, A="two\nlines"),
        run(read, A="'; print('injected'); '"),
        run("os.environ.get('SET_AT_CREATION')", SET_AT_CREATION="other"),
        run("os.environ.get('SET_AT_CREATION')"),
    ]


def _first_cell(client: Client) -> Answer:
    identity = client.context()
    return [client.execute("1 / 0", context_id=identity), client.execute("2", context_id=identity)]


def _magic_in_the_first_cell(client: Client) -> Answer:
    identity = client.context()
    return client.execute("%%bash\necho first", context_id=identity)


def _same_time(client: Client) -> Answer:
    """Two cells of one context, the second sent while the first runs."""
    identity = client.context()
    slow = client.stream("import time; time.sleep(0.5); 'slow'", context_id=identity)
    next(slow)
    return client.execute("'second'", context_id=identity)


def _pieces(client: Client) -> Answer:
    """How many events much output comes in, roughly."""
    events = list(client.stream("for i in range(40000): print(i)"))
    return ["few" if len(events) < 30 else "many"]


def _at_once(client: Client) -> Answer:
    """Output comes while the cell runs."""
    code = "import time\nprint('first', flush=True)\ntime.sleep(1.5)\nprint('last')"
    return [event["text"] for event in client.stream(code) if event["type"] == "stdout"]


def _refused(method: str, path: str, **options: Any) -> Conversation:
    def ask(client: Client) -> Answer:
        status, kind, body = client.request(method, path, **options)
        if status == 422:  # the details are worded by another library
            details: Any = body["detail"]
            return [status, kind, [[one["type"], one["loc"]] for one in details]]
        return [status, kind, body]

    return ask


CONVERSATIONS: Mapping[str, Conversation] = {
    "create a context": _created,
    "create a context in a folder": _created_in_a_folder,
    "list contexts": _listed,
    "languages of the default contexts": _languages,
    "remove a context": _removed,
    "restart a context": _restarted,
    "the default context": _default_context,
    "a kernel that dies": _death,
    "a kernel that dies after output": _death_after_output,
    "a cell after a kernel has died": _life_after_death,
    "a kernel that dies between two cells": _death_between_cells,
    "exit": _exit,
    "a cell right after an abandoned one": _abandoned,
    "a cell some time after an abandoned one": _after_an_interrupt,
    "variables of a cell": _variables_of_a_cell,
    "an error in the first cell": _first_cell,
    "a magic in the first cell": _magic_in_the_first_cell,
    "two cells at the same time": _same_time,
    "the number of events": _pieces,
    "output while a cell runs": _at_once,
    "health": _refused("GET", "/health"),
    "no such path": _refused("GET", "/nope"),
    "no such method": _refused("GET", "/execute"),
    "no such method of a context": _refused("GET", "/contexts/none"),
    "no such method of contexts": _refused("DELETE", "/contexts"),
    "remove a context that is not there": _refused("DELETE", "/contexts/none"),
    "restart a context that is not there": _refused("POST", "/contexts/none/restart"),
    "create a context in no folder": _created_in_no_folder,
    "create a context of no language": _refused("POST", "/contexts", json={"language": "cobol"}),
    "run in a context that is not there": _refused(
        "POST", "/execute", json={"code": "1", "context_id": "none"}
    ),
    "run in no language": _refused("POST", "/execute", json={"code": "1", "language": "cobol"}),
    "a context and a language": _refused(
        "POST", "/execute", json={"code": "1", "context_id": "default", "language": "python"}
    ),
    "no code": _refused("POST", "/execute", json={}),
    "code that is no text": _refused("POST", "/execute", json={"code": 1}),
    "no JSON": _refused("POST", "/execute", content=b"x"),
    "a cell with empty variables": lambda client: client.execute("1", env_vars={}),
}
"""Calls by name, each in contexts of its own."""
