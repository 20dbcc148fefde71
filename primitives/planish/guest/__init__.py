"""All code that runs under another interpreter: in a sandbox, or as the process that makes one.

It is read as text, or found by its path, and never imported by the host, but for `protocol`: what
both sides must know. The rules, held by `tests/house/test_guest.py`:

- The standard library only, so that the Python of any sandbox can run it. Where a user's own tests
  need more (pytest), the module that runs them may import it; so may the start-up file of the
  kernels of `loopback` (IPython).
- The lowest Python: 3.9 for what runs under a sandbox's own Python (`supervisor`, `verifier`,
  `e2b`); the host's own for what the host's interpreter runs (`linux`, `zygote`, `unsafe`,
  `session`, `pip`, `loopback`).
- It imports nothing of planish, so it may stand below all of it.

Rooms: `supervisor` watches over one program, with or without isolation: as a plain process
(started by `unsafe`), as process 1 of a container, in a microVM, or within a tier of `zygote`,
the template process that local programs are forked from, which stands on `linux`, the calls to
the kernel; `session` keeps variables between programs, `e2b` does so in a microVM; `verifier` runs
tests beside a candidate; `pip` installs packages; `loopback` runs in the processes of the test
double of E2B.
"""
