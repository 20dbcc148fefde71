"""The base class of all primitives, what it needs to know of types, and what branches share."""
