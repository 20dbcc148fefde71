"""Find modules that import each other: at run time, within functions, or for types only."""

from collections.abc import Iterable

__all__ = ["circles"]


def circles(arrows: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the groups of modules of which each imports every other, directly or through others.

    Args:
        arrows: Each import, as the names of the module that imports and of the imported one.
    """
    targets: dict[str, set[str]] = {}
    for source, target in arrows:
        if source != target:
            targets.setdefault(source, set()).add(target)
    reached = {module: _reached(module, targets) for module in targets}
    groups = {
        tuple(sorted(one for one in reached[module] if module in reached.get(one, ())))
        for module in targets
        if module in reached[module]
    }
    return [list(group) for group in sorted(groups)]


def _reached(module: str, targets: dict[str, set[str]]) -> set[str]:
    """Return the modules that a module imports, directly or through others."""
    found: set[str] = set()
    rest = [module]
    while rest:
        new = targets.get(rest.pop(), set()) - found
        found |= new
        rest += new
    return found
