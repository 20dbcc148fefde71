"""Run a session within a sandbox, as a program of its own, under the Python there.

Three kinds of process. The *supervisor* talks to the host and runs no code of the user's; the
*worker* holds the variables and runs the steps; a *copy* is a fork of the worker that waits: it
takes the worker's place when that has to be killed, and snapshots are restored from it.
"""
