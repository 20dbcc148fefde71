"""What runs in the sandbox, under the Python there (3.9 or later): standard library only."""
