"""`python -m planish_integrations.cli` runs the `planish` command."""

from planish_integrations.cli import main

if __name__ == "__main__":
    main()
