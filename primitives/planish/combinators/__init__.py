"""The combinators: primitives that are made of other primitives."""
