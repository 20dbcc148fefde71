"""Properties, descriptors, metaclasses, slots, abstract classes."""

from tests.honesty.program import checks

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "descriptors with __set_name__",
        """
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name)
    def __set__(self, instance, value):
        if value <= 0:
            raise ValueError(f"{self.name[1:]} must be positive")
        setattr(instance, self.name, value)

class Item:
    price = Positive()
    def __init__(self, price):
        self.price = price
""",
        """
i = Item(3)
assert i.price == 3 and i.__dict__ == {"_price": 3} and vars(i) == {"_price": 3}
assert isinstance(Item.price, Positive)
try:
    i.price = -1
except ValueError as e:
    assert str(e) == "price must be positive"
else:
    assert False
i.price = 7
assert i.price == 7

class Mine:
    size = Positive()
assert Mine.size.name == "_size"
""",
        wrong=("value <= 0", "value < -5"),
    ),
    checks(
        "metaclass registry, __init_subclass__",
        """
class Registry(type):
    known = {}
    def __new__(mcs, name, bases, space):
        cls = super().__new__(mcs, name, bases, space)
        mcs.known[name] = cls
        return cls

class Base(metaclass=Registry):
    pass

class Plugin:
    plugins = []
    def __init_subclass__(cls, /, tag=None, **kw):
        super().__init_subclass__(**kw)
        Plugin.plugins.append((cls.__name__, tag))
""",
        """
class Mine(Base):
    pass
assert Registry.known["Mine"] is Mine and set(Registry.known) == {"Base", "Mine"}
assert isinstance(Mine, Registry) and isinstance(Base, Registry)
assert not isinstance(Plugin, Registry)

class One(Plugin, tag="a"):
    pass
class Two(Plugin):
    pass
assert Plugin.plugins == [("One", "a"), ("Two", None)]
""",
        wrong=("cls.__name__, tag", "cls.__name__, None"),
    ),
    checks(
        "__slots__ and __getattr__",
        """
class Slim:
    __slots__ = ("a", "b")
    def __init__(self, a):
        self.a = a

class Loose:
    def __getattr__(self, name):
        if name.startswith("get_"):
            return lambda: name[4:]
        raise AttributeError(f"no {name}")
""",
        """
s = Slim(1)
assert s.a == 1 and not hasattr(s, "b")
s.b = 2
assert s.b == 2
try:
    s.c = 3
except AttributeError:
    pass
else:
    assert False
assert Slim.__slots__ == ("a", "b")
assert Loose().get_name() == "name"
assert not hasattr(Loose(), "other") and getattr(Loose(), "other", 5) == 5
""",
        wrong=("name[4:]", "name[3:]"),
    ),
    checks(
        "abc: abstract methods, derived by the tests",
        """
from abc import ABC, abstractmethod

class Shape(ABC):
    @abstractmethod
    def area(self): ...
    def double(self):
        return 2 * self.area()
    @property
    @abstractmethod
    def name(self): ...

class Square(Shape):
    def __init__(self, side):
        self.side = side
    def area(self):
        return self.side ** 2
    name = "square"
""",
        """
try:
    Shape()
except TypeError as error:
    assert "abstract" in str(error)
else:
    assert False

class Circle(Shape):
    name = "circle"
    def area(self):
        return 3

assert Circle().double() == 6 and Square(2).double() == 8
assert issubclass(Circle, Shape) and isinstance(Square(1), Shape)
class Half(Shape):
    name = "half"
try:
    Half()
except TypeError:
    pass
else:
    assert False
assert Shape.__abstractmethods__ == frozenset({"area", "name"})
""",
        wrong=("2 * self.area()", "3 * self.area()"),
    ),
    checks(
        "class attributes, class and static methods, MRO, super",
        """
class A:
    count = 0
    def __init__(self):
        type(self).count += 1
    def who(self):
        return ["A"]
    @classmethod
    def make(cls):
        return cls()
    @staticmethod
    def twice(x):
        return x * 2

class B(A):
    def who(self):
        return ["B"] + super().who()

class C(A):
    def who(self):
        return ["C"] + super().who()

class D(B, C):
    pass
""",
        """
assert D().who() == ["B", "C", "A"]
assert D.__mro__ == (D, B, C, A, object) and D.mro()[1] is B
assert [k.__name__ for k in D.__bases__] == ["B", "C"]
A.make(); A.make()
assert A.count == 2 and D.count == 1
A.count = 10
assert A.make().count == 11
assert A.twice(4) == 8 and isinstance(D.make(), D)
assert A.__subclasses__() == [B, C]
class E(D):
    def who(self):
        return ["E", *super().who()]
assert E().who() == ["E", "B", "C", "A"] and E.make().__class__ is E
""",
        wrong=('["C"] + super().who()', '["C"]'),
    ),
    checks(
        "namespace of a class, and its property",
        """
class T:
    x = 1
    def f(self): return 7
    @property
    def p(self): return 5
    @staticmethod
    def s(): return 3
""",
        """
assert T.__dict__["f"](T()) == 7 and T.__dict__["x"] == 1
assert isinstance(T.__dict__["p"], property) and T.p.fget(T()) == 5 and T.p.fset is None
assert isinstance(vars(T)["s"], staticmethod) and "q" not in T.__dict__
""",
        wrong=("return 7", "return 8"),
    ),
    checks(
        "subclasses registered by a keyword called name",
        """
class Plugin:
    known = {}
    def __init_subclass__(cls, *, name=None, **options):
        super().__init_subclass__(**options)
        Plugin.known[name or cls.__name__] = cls
""",
        """
class A(Plugin): pass
class B(Plugin, name="bee"):
    def go(self): return 2
assert Plugin.known["A"] is A and Plugin.known["bee"] is B
assert Plugin.known["bee"]().go() == 2
""",
        wrong=("[name or cls.__name__]", "[cls.__name__]"),
    ),
    checks(
        "class decorator that wraps the constructor",
        """
def counted(cls):
    old = cls.__init__
    def init(self, *args, **kwargs):
        old(self, *args, **kwargs)
        self.made = 1
    cls.__init__ = init
    return cls
""",
        """
@counted
class B:
    def __init__(self, w): self.w = w
b = B(5)
assert b.made == 1 and b.w == 5
""",
        wrong=("self.made = 1", "self.made = 2"),
    ),
    checks(
        "special methods of the candidate's class, called by super and by its name",
        """
class Stack:
    def __init__(self, *items):
        self.items = list(items)
    def __len__(self):
        return len(self.items)
    def __getitem__(self, at):
        return self.items[at]
    def __repr__(self):
        return f"Stack{tuple(self.items)}"

class Mark:
    pass
""",
        """
class Counted(Stack):
    def __len__(self):
        return 100 + super().__len__()
    def __getitem__(self, at):
        return ("got", super().__getitem__(at))
    def __repr__(self):
        return "Counted " + Stack.__repr__(self)

class Shown(Mark):
    def __repr__(self):
        return "Shown " + super().__repr__()[:1]

counted = Counted(7, 8)
assert len(counted) == 102 and counted[1] == ("got", 8)
assert repr(counted) == "Counted Stack(7, 8)" and repr(Shown()) == "Shown <"
""",
        wrong=("self.items[at]", "self.items[at - 1]"),
    ),
)
