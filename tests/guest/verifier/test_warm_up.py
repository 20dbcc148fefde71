"""The rehearsal in a template process: it reaches both sides, and leaves nothing behind."""

import subprocess
import sys

from planish.verification import verifier_bundle

_SCRIPT = """
import builtins, linecache, marshal, sys
names = {}
packed = sys.stdin.buffer.read()
exec(marshal.loads(packed)[0], names)
Bundle = names["Bundle"]

def state(bundle):
    found = {}
    for title, module in bundle._loaded.items():
        for name, value in vars(module).items():
            if type(value) in (dict, list, set) and name[:2] != "__":
                found[title, name] = list(value), list(getattr(value, "values", list)())
    found["modules"] = [(name, id(module)) for name, module in sys.modules.items()]
    found["builtins"] = list(vars(builtins)), list(vars(builtins).values())
    found["lines"] = list(linecache.cache)
    found["finders"] = list(sys.meta_path)
    return found

ready = Bundle(packed)
warm = ready.load("warm_up")
for name in marshal.loads(packed)[5]:
    ready.load(name)
calls = []
reply = ready.load("rpc_endpoint").RpcEndpoint.ask
def ask(self, *args):
    calls.append(args[0])
    return reply(self, *args)
ready.load("rpc_endpoint").RpcEndpoint.ask = ask
before = state(ready)
warm.warm_up([*ready._loaded.values()])
after = state(ready)
assert before == after, [key for key in before if before[key] != after[key]]
print(calls.count("special"), ready.load("place")._found)
"""


def test_it_calls_a_candidate_and_puts_back_what_it_has_changed() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", _SCRIPT],
        input=verifier_bundle(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    calls, _, found = done.stdout.decode().strip().partition(" ")
    assert int(calls) == 4 * 13  # a failed assert would have ended it
    assert found == "[]"
