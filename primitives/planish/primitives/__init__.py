"""The primitives. None of them knows another: they meet through the data and `>>`."""
