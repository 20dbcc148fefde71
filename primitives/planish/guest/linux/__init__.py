"""All that the local sandbox asks of the Linux kernel, one idea to a module.

It runs in a bare interpreter (`python -I -S`) with the folder above on its path, so it knows
nothing of planish and imports only what such an interpreter starts fast with: os and ctypes.
Nothing here decides what a sandbox is made of; it offers the parts, for x86-64 and 64-bit ARM:

- `calls`: processes, descriptors, prctl and mounts, straight from the kernel
- `privileges`: capabilities and users, given up
- `limits`: resource limits, and what counts against them
- `landlock`: which files, ports, sockets and signals are in reach
- `namespaces`: who one is, and a root directory that shows only what was granted
- `seccomp`: which system calls there are
"""

__all__: "list[str]" = []
