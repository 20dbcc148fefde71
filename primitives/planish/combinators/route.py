"""A choice between named steps."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from planish.errors import WiringError
from planish.runtime.diagram import Links
from planish.runtime.primitive import In, Out, Primitive, as_primitive
from planish.runtime.wiring import shared_signature

__all__ = ["Route"]


class Route(Primitive[In, Out]):
    """Run the step whose name a function chooses: by rule, by asking a model or a person.

    Args:
        choose: Gives one of the names, for the value; asynchronous or not.
        routes: The steps by name; at least one.

    Raises:
        WiringError: there are no routes; at run time, when a name is chosen that is none of
            them: it names it and those there are.
    """

    records_result = False
    delegates = True

    def __init__(
        self,
        choose: Callable[[In], str] | Callable[[In], Awaitable[str]],
        routes: Mapping[str, Primitive[In, Out]],
    ) -> None:
        if not routes:
            raise WiringError("Route: there is no route to choose")
        self.choose: Callable[[In], Any] = choose
        self.routes: dict[str, Primitive[In, Out]] = {
            name: as_primitive(step, f"Route {name!r}:") for name, step in routes.items()
        }
        self._signature = shared_signature("Route", tuple(self.routes.values()))

    def _links(self) -> Links:
        return Links("fork", tuple(self.routes))

    async def _run(self, value: In) -> Out:
        chosen = self.choose(value)
        if inspect.isawaitable(chosen):
            chosen = await chosen
        step = self.routes.get(chosen)
        if step is None:
            known = ", ".join(repr(name) for name in self.routes)
            raise WiringError(f"Route: {chosen!r} was chosen, but the routes are {known}")
        out: Out = await step.run(value)
        return out
