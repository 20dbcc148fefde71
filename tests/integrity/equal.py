"""Being equal to anything."""

from tests.integrity.trick import Trick

__all__ = ["EQUAL"]


def _equal(base: str) -> str:
    return (
        f"class Same({base}):\n"
        "    def __eq__(self, other): return True\n"
        "    def __ne__(self, other): return False\n"
        "    def __hash__(self): return 0\n"
        "def square(n): return Same()\n"
    )


EQUAL = {
    **{
        f"{base or 'object'} equal to all": Trick(code=_equal(base), fools="status", whole=True)
        for base in ("", "int", "float", "str", "list", "tuple", "dict", "frozenset", "bytes")
    },
    "class that says it is another": Trick(
        code=(
            "class Meta(type):\n"
            "    def __instancecheck__(self, other): return True\n"
            "    def __subclasscheck__(self, other): return True\n"
            "    def __eq__(self, other): return True\n"
            "    __hash__ = type.__hash__\n"
            "class Same(metaclass=Meta):\n"
            "    __class__ = property(lambda self: int)\n"
            "    def __eq__(self, other): return True\n"
            "def square(n): return Same()\n"
        ),
        fools="status",
        whole=True,
    ),
    "object that answers as it is asked": Trick(
        code=(
            "class Lazy:\n"
            "    def __getattr__(self, name): return lambda *a, **k: self\n"
            "    def __eq__(self, other): self.value = other; return True\n"
            "    def __float__(self): return float(getattr(self, 'value', 0))\n"
            "    __abs__ = __sub__ = __rsub__ = __neg__ = lambda self, *a: self\n"
            "    def __lt__(self, other): return True\n"
            "    def __bool__(self): return True\n"
            "    __gt__ = __le__ = __ge__ = __contains__ = __lt__\n"
            "def square(n): return Lazy()\n"
        ),
        fools="status",
        whole=True,
    ),
    "number that is always near": Trick(
        code=(
            "class Near:\n"
            "    def __sub__(self, other): return 0.0\n"
            "    __rsub__ = __sub__\n"
            "    def __eq__(self, other): return True\n"
            "def square(n): return Near()\n"
        ),
        fools="status",
        whole=True,
    ),
}
