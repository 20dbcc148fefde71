"""Run one of several named steps, chosen for each input."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from planish.context.path import path_scope
from planish.errors import WiringError
from planish.runtime.diagram import Links
from planish.runtime.naming import name_in_path, segment_of
from planish.runtime.primitive import In, Out, Primitive, as_primitive
from planish.runtime.wiring import require_callable, shared_signature

__all__ = ["Route"]


class Route(Primitive[In, Out]):
    """Run the step whose name a function returns: by a rule, or by calling a model or a person.

    Args:
        choose: Returns the name of a route for the input; may be async.
        routes: The steps by name; at least one.

    Raises:
        WiringError: `choose` is not a function, there are no routes, or no input suits all of
            them; at run time, there is no route of the chosen name.
    """

    records_result = False
    delegates = True

    def __init__(
        self,
        choose: Callable[[In], str] | Callable[[In], Awaitable[str]],
        routes: Mapping[str, Primitive[In, Out]],
    ) -> None:
        require_callable("Route", "choose", choose, "from an input to the name of a route")
        if not isinstance(cast("object", routes), Mapping):
            raise WiringError(f"Route(routes={routes!r}): must be a dict of steps by name")
        if not routes:
            raise WiringError("Route() has no routes: pass at least one step by name")
        self.choose: Callable[[In], Any] = choose
        self.routes: dict[str, Primitive[In, Out]] = {
            name: as_primitive(step, f"Route {name!r}:") for name, step in routes.items()
        }
        self._signature = shared_signature("Route", tuple(self.routes.values()))

    def _links(self) -> Links:
        return Links("fork", tuple(self.routes))

    async def _run(self, value: In) -> Out:
        name = self.choose(value)
        if inspect.isawaitable(name):
            name = await name
        step = self.routes.get(name) if isinstance(name, str) else None
        if step is None:
            names = ", ".join(map(repr, self.routes))
            raise WiringError(f"Route: {name!r} was chosen, but the routes are {names}")
        with path_scope(segment_of(name_in_path(self, "Route"), name, step)):
            out: Out = await step.run(value)
        return out
