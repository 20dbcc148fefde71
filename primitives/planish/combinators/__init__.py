"""The combinators: primitives that run other primitives."""
