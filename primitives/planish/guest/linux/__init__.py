"""System calls that the local sandbox uses, one idea to a module.

It runs in a bare interpreter (`python -I -S`) with the folder above on its path, so it knows
nothing of planish and imports only what such an interpreter starts fast with: os and ctypes.
It offers the parts that a sandbox is made of, for x86-64 and 64-bit ARM:

- `calls`: processes, descriptors, prctl and mounts, straight from the kernel
- `privileges`: give up capabilities and users
- `limits`: resource limits, and what counts against them
- `landlock`: which files, ports, sockets and signals a process may reach
- `namespaces`: user ids, and a root directory that shows only what was granted
- `seccomp`: which system calls a process may make
"""

__all__: "list[str]" = []
