"""What runs in the processes of a loopback sandbox; standard library only."""
