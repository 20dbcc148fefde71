"""Effects: calls whose result does not follow from their arguments, made through one seam.

`ask`, `execute` and `execute_step` call a model, a sandbox and a session; `effect` makes any other
call of your own, to an index, a database or a person; `decide` makes a choice that depends on
time, order or chance. All of them are charged to budgets, traced, and wrapped in the interceptors
that `intercept` installs: a journal, an approval, a recorder, a fault injector. `use_clock` sets
what time is read from.
"""

from planish.context.interception import Effect, Interceptor, Proceed, decide, intercept
from planish.context.path import Path, current_path, format_path, path_scope
from planish.context.time import current_clock, use_clock
from planish.context.trail import record
from planish.effects.call import effect
from planish.effects.model import ask
from planish.effects.sandbox import execute, execute_step

__all__ = [
    "Effect",
    "Interceptor",
    "Path",
    "Proceed",
    "ask",
    "current_clock",
    "current_path",
    "decide",
    "effect",
    "execute",
    "execute_step",
    "format_path",
    "intercept",
    "path_scope",
    "record",
    "use_clock",
]
