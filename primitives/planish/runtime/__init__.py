"""The base class of all primitives, and what primitives share: types, outcomes, branches."""
