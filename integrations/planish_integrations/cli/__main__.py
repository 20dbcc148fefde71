"""`python -m planish_integrations.cli` is `planish`."""

from planish_integrations.cli import main

if __name__ == "__main__":
    main()
