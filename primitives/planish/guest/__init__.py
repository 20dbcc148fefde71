"""All code that runs under another interpreter: in a sandbox, or as the process that makes one.

It is read as text, or found by its path, and never imported by the host, but for `protocol`: what
both sides must know. The rules, held by `tests/house/test_guest.py`:

- The standard library only, so that the Python of any sandbox can run it. Where a user's own tests
  need more (pytest), the module that runs them may import it.
- The lowest Python: 3.9 for what runs under a sandbox's own Python (`verifier`, `container`,
  `e2b`); the host's own for what the host's interpreter runs (`linux`, `zygote`, `unsafe`,
  `session`, `pip`, `loopback`).
- It imports nothing of planish, so it may stand below all of it.

Rooms: `verifier` runs tests beside a candidate; `zygote` is the template process that programs are
forked from, on `linux`, the calls to the kernel; `unsafe`, `container` and `e2b` supervise one
program each; `session` keeps variables between programs; `pip` installs packages; `loopback` is
the interpreter behind the test double of E2B.
"""
