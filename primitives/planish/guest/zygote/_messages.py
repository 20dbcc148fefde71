"""Name what the host, the template process and its supervisors send each other.

Between host and template process, one message each (SOCK_SEQPACKET). The host sends its
configuration, marshalled, and then CLAIMED for every sandbox that it is about to take, and LOAD
with a descriptor for the verifier's modules, which the sandboxes made from then on are to have.
The template process sends READY once, SPARE with a socket to its supervisor for every sandbox that
is made, or REFUSED with what went wrong, and BROKEN, also with that, before it ends.

Between host and supervisor, on the sandbox's socket, for each run: WAITS from the supervisor, with
four descriptors, once a process waits for the program (its standard input, output and error; a
counter that is not 0 once the program may have begun). Then a request and its answer, as
`supervisor/frames` has them. After a DONE that offers it, the host may send AGAIN, and the next
run begins.
"""

__all__ = ["AGAIN", "BROKEN", "CLAIMED", "GO", "LOAD", "READY", "REFUSED", "SPARE", "WAITS"]

READY = b"R"  # nothing
SPARE = b"S"  # a descriptor
REFUSED = b"-"  # what went wrong
BROKEN = b"!"  # what went wrong
CLAIMED = b"C"  # nothing
LOAD = b"L"  # nothing, and a descriptor

WAITS = b"W"  # 1 if it has the verifier's modules or 0, in one byte; and four descriptors
AGAIN = b"A"  # nothing

GO = b"G"  # from the supervisor to the process of the program: its files are there; some beside
