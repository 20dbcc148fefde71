"""What is wrong with an arrow, if anything, by the table of layers."""

from collections.abc import Iterator, Sequence

from tests.house.arrows import Arrow, Tree
from tests.house.layer import Layer
from tests.house.layers import EXCEPTIONS, LAYERS, layer_of

__all__ = ["violations"]

_OURS = ("planish", "planish_integrations", "examples")
# Parts of a package that are distributions of their own, and heavy.
_DISTRIBUTIONS = ("opentelemetry.sdk", "opentelemetry.exporter")
# Ships with Python, but is one of two event loops: library code speaks to both through anyio.
_LOOPS = ("asyncio",)


def violations(tree: Tree, layers: Sequence[Layer] = LAYERS) -> Iterator[str]:
    """Every import that the table does not allow, one line each."""
    for arrow in tree.arrows():
        wrong = _wrong(arrow, tree, layers)
        if wrong is not None:
            yield f"{arrow}: {wrong}"


def _wrong(arrow: Arrow, tree: Tree, layers: Sequence[Layer]) -> str | None:
    source = layer_of(arrow.source, layers)
    if source is None:
        return "the importing module stands in no layer of tests/house/layers.py"
    if arrow.package not in _OURS:
        return _wrong_package(arrow, source)
    if (arrow.source, arrow.target) in EXCEPTIONS:
        return None
    if layer_of(arrow.target, layers) is source:
        apart = source.apart and _unit(arrow.source, source) != _unit(arrow.target, source)
        return "siblings do not import each other" if apart else None
    if not any(_below(arrow.target, used) for used in source.uses):
        return f"{source.name} may not: {source.because}"
    return _not_public(arrow, tree) if source.outside else None


def _wrong_package(arrow: Arrow, source: Layer) -> str | None:
    full = f"{arrow.target}.{arrow.name}"
    package = next((d for d in _DISTRIBUTIONS if f"{full}.".startswith(f"{d}.")), arrow.package)
    if arrow.stdlib and package not in _LOOPS:
        return None
    if package in source.packages:
        return None
    return f"{source.name} does not list the package {package}"


def _below(module: str, used: str) -> bool:
    # "planish" is what it exports; all else below it is listed by its own name.
    return module == used or (used != "planish" and module.startswith(f"{used}."))


def _unit(module: str, layer: Layer) -> str:
    return module.removeprefix(layer.name).lstrip(".").partition(".")[0]


def _not_public(arrow: Arrow, tree: Tree) -> str | None:
    if any(part.startswith("_") for part in arrow.target.split(".")):
        return "the module is private"
    if arrow.name in ("", "*"):
        return None
    public = tree.public(arrow.target)
    if public is None or arrow.name not in public:
        return f"{arrow.name} is not in its __all__"
    return None
