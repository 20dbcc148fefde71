"""What surrounds a run: who listens, what may be spent, what has been paid for.

Scopes are held in one context variable, as cancel scopes are. There is no global state, and
a pipeline never holds any of this.
"""
