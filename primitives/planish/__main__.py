"""`python -m planish` runs the `planish` command, which is part of `planish_integrations`."""

from runpy import run_module

if __name__ == "__main__":
    run_module("planish_integrations.cli", run_name="__main__", alter_sys=True)
