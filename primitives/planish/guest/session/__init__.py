"""The inside of a session: a program of its own, in the sandbox, under the Python there.

Three kinds of process. The *keeper* talks to the host and runs no code of the user's; the
*worker* holds the variables and runs the steps; a *spare* is a fork of the worker, asleep, that
takes its place when the worker has to be killed, and from which snapshots are restored.
"""
