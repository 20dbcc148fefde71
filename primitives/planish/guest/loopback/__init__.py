"""Code that runs in the processes of a loopback sandbox."""
