"""Values of the standard library that programs take and give."""

from tests.honesty.program import checks

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "regular expressions and Match objects",
        """
import re
DATE = re.compile(r"(?P<y>\\d{4})-(?P<m>\\d\\d)")
def find(text):
    return DATE.search(text)
def all_of(text):
    return list(DATE.finditer(text))
def mask(text, function):
    return DATE.sub(function, text)
""",
        """
import re
m = find("on 2024-05 and")
assert m and m.group("y") == "2024" and m["m"] == "05" and m.span() == (3, 10) and m.start() == 3
assert m.groupdict() == {"y": "2024", "m": "05"} and m.groups() == ("2024", "05")
assert isinstance(m, re.Match) and find("none") is None
assert [x.group() for x in all_of("2024-01 2025-02")] == ["2024-01", "2025-02"]
assert DATE.pattern.startswith("(?P<y>") and isinstance(DATE, re.Pattern) and DATE.match("2024-01")
assert mask("2024-05!", lambda m: m["m"] + "/" + m["y"]) == "05/2024!"
assert DATE.findall("2024-01") == [("2024", "01")] and bool(DATE.fullmatch("2024-011")) is False
""",
        wrong=("DATE.search(text)", "DATE.match(text)"),
    ),
    checks(
        "pathlib",
        """
from pathlib import Path, PurePosixPath
def rename(path, suffix):
    return Path(path).with_suffix(suffix)
def split(path):
    return path.parent, path.stem, path.parts
def pure(text):
    return PurePosixPath(text) / "x"
""",
        """
from pathlib import Path, PurePosixPath
assert rename("/a/b.txt", ".md") == Path("/a/b.md") and str(rename("c.x", "")) == "c"
assert split(Path("/a/b.txt")) == (Path("/a"), "b", ("/", "a", "b.txt"))
assert pure("/q") == PurePosixPath("/q/x") and isinstance(rename("a", ".b"), Path)
assert sorted([rename("b", ".z"), rename("a", ".z")])[0].name == "a.z"
assert rename("a", ".b") in {Path("a.b")} and rename("a", ".b") / "c" == Path("a.b/c")
""",
        wrong=("with_suffix(suffix)", 'with_suffix(suffix + "x")'),
    ),
    checks(
        "StringIO and BytesIO of either side",
        """
import io
def write(stream, *lines):
    for line in lines:
        stream.write(line + "\\n")
def upper(stream):
    return io.StringIO(stream.read().upper())
def pack(data):
    out = io.BytesIO()
    out.write(len(data).to_bytes(2, "big"))
    out.write(data)
    out.seek(0)
    return out
def lines(stream):
    return [line.rstrip() for line in stream]
""",
        """
import io
s = io.StringIO()
write(s, "a", "b")
assert s.getvalue() == "a\\nb\\n"
u = upper(io.StringIO("xyz"))
assert u.read() == "XYZ" and u.read() == "" and u.getvalue() == "XYZ"
p = pack(b"abc")
assert p.read(2) == b"\\x00\\x03" and p.read() == b"abc" and p.getvalue()[2:] == b"abc"
assert lines(io.StringIO("p\\nq")) == ["p", "q"]
assert list(upper(io.StringIO("a\\nb"))) == ["A\\n", "B"]
assert isinstance(u, io.StringIO) and isinstance(p, io.BytesIO)
""",
        wrong=('"big"', '"little"'),
    ),
    checks(
        "dates, times, zones",
        """
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo
def next_friday(day):
    return day + timedelta((4 - day.weekday()) % 7 or 7)
def utc(moment):
    return moment.astimezone(timezone.utc)
def berlin(*parts):
    return datetime(*parts, tzinfo=ZoneInfo("Europe/Berlin"))
def age(born, today):
    return today.year - born.year - ((today.month, today.day) < (born.month, born.day))
""",
        """
from datetime import date, datetime, time, timedelta, timezone
assert next_friday(date(2024, 5, 3)) == date(2024, 5, 10) and next_friday(date(2024, 5, 1)).day == 3
m = datetime(2024, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
assert utc(m) == datetime(2024, 1, 1, 10, tzinfo=timezone.utc) and utc(m).tzinfo is timezone.utc
assert berlin(2024, 7, 1).utcoffset() == timedelta(hours=2)
assert str(berlin(2024, 1, 1).tzinfo) == "Europe/Berlin"
assert age(date(2000, 5, 5), date(2024, 5, 4)) == 23
assert isinstance(next_friday(datetime(2024, 5, 1, 3)), datetime)
assert berlin(2024, 1, 1) - berlin(2023, 12, 31) == timedelta(1)
assert utc(m).isoformat() == "2024-01-01T10:00:00+00:00"
""",
        wrong=("% 7 or 7", "% 7"),
    ),
    checks(
        "struct, bytes, hashes, base64, zlib",
        """
import struct, hashlib, base64, zlib
def pack(*n):
    return struct.pack(f">{len(n)}H", *n)
def unpack(data):
    return struct.unpack(f">{len(data) // 2}H", data)
def digest(text):
    return hashlib.sha256(text.encode())
def squeeze(data):
    return base64.b64encode(zlib.compress(data))
HEADER = struct.Struct("<IH")
""",
        """
import base64, hashlib, zlib
assert pack(1, 256) == b"\\x00\\x01\\x01\\x00" and unpack(pack(5, 6)) == (5, 6)
assert digest("a").hexdigest() == hashlib.sha256(b"a").hexdigest() and digest("a").digest_size == 32
assert zlib.decompress(base64.b64decode(squeeze(b"x" * 100))) == b"x" * 100
assert HEADER.size == 6 and HEADER.unpack(HEADER.pack(1, 2)) == (1, 2)
h = digest("a"); h.update(b"b")
assert h.hexdigest() == digest("ab").hexdigest()
""",
        wrong=('f">{len(n)}H"', 'f"<{len(n)}H"'),
    ),
    checks(
        "contextvars",
        """
import contextvars, asyncio
user = contextvars.ContextVar("user", default="nobody")
def who():
    return user.get()
def run_as(name, function):
    def inner():
        user.set(name)
        return function()
    return contextvars.copy_context().run(inner)
async def async_who(name):
    user.set(name)
    await asyncio.sleep(0)
    return user.get()
""",
        """
import asyncio
assert who() == "nobody"
token = user.set("ann")
assert who() == "ann"
user.reset(token)
assert who() == "nobody" and user.name == "user"
assert run_as("bob", who) == "bob" and who() == "nobody"
async def main():
    return await asyncio.gather(async_who("a"), async_who("b"))
assert asyncio.run(main()) == ["a", "b"]
""",
        wrong=("user.set(name)\n        return", "user.set(name + name)\n        return"),
    ),
    checks(
        "threads, queues, thread-local data, executors",
        """
import threading, queue
from concurrent.futures import ThreadPoolExecutor
local = threading.local()
def squares(items):
    with ThreadPoolExecutor(3) as pool:
        return list(pool.map(lambda x: x * x, items))
def produce(n):
    q = queue.Queue()
    t = threading.Thread(target=lambda: [q.put(i) for i in range(n)])
    t.start(); t.join()
    return q
def call_in_thread(function):
    out = []
    t = threading.Thread(target=lambda: out.append(function()))
    t.start(); t.join(30)
    return out
class Once:
    def __init__(self):
        self.event = threading.Event()
    def fire(self):
        self.event.set()
""",
        """
import threading
assert squares(range(5)) == [0, 1, 4, 9, 16]
q = produce(3)
assert q.get() == 0 and q.qsize() == 2 and [q.get_nowait(), q.get_nowait()] == [1, 2] and q.empty()
o = Once()
t = threading.Thread(target=o.fire)
t.start()
assert o.event.wait(30) and o.event.is_set()
t.join()
local.x = 5
assert local.x == 5 and call_in_thread(lambda: 7) == [7]
lock = threading.Lock()
with lock:
    assert squares([2]) == [4]
""",
        wrong=("x * x", "x + x"),
    ),
    checks(
        "network addresses, and mappings that have no hash",
        """
import ipaddress
from collections import UserDict
from collections.abc import Mapping
def parsed(text):
    return ipaddress.ip_address(text)
def network(text):
    return ipaddress.ip_network(text)
class Fixed(Mapping):
    def __init__(self, items): self.items_ = dict(items)
    def __getitem__(self, key): return self.items_[key]
    def __iter__(self): return iter(self.items_)
    def __len__(self): return len(self.items_)
class Open(UserDict): pass
""",
        """
import ipaddress
assert parsed("10.0.0.1") == ipaddress.ip_address("10.0.0.1") and parsed("::1").is_loopback
assert parsed("10.0.0.1") in network("10.0.0.0/8")
assert isinstance(parsed("::1"), ipaddress.IPv6Address)
assert network("10.0.0.0/8").num_addresses == 2 ** 24
for one in (Fixed({"a": 1}), Open(a=1)):
    try:
        hash(one)
    except TypeError as error:
        assert str(error).startswith("unhashable type")
    else:
        raise AssertionError(one)
""",
        wrong=("ip_network(text)", "ip_network(text).supernet()"),
    ),
    checks(
        "classes that are no collections, as their objects are",
        """
from abc import ABC
from collections.abc import Iterable
from enum import Enum
class Row:
    def __iter__(self): return iter((1, 2))
    def __len__(self): return 2
    def __contains__(self, x): return x == 1
class Shape(ABC): pass
class Count(int): pass
class Suit(Enum):
    HEARTS = 1
class Listed(type):
    def __iter__(cls): return iter("ab")
class Letters(metaclass=Listed): pass
def flat(values):
    for one in values:
        if isinstance(one, Iterable): yield from flat(one)
        else: yield one
""",
        """
from collections.abc import Callable, Container, Hashable, Iterable, Sized
class Mine: pass
def test_classes():
    for kind in (Row, Shape, Count):
        assert not isinstance(kind, (Iterable, Sized, Container)), kind
        assert isinstance(kind, Hashable) and isinstance(kind, Callable)
    assert isinstance(Row(), Iterable) and isinstance(Row(), Sized)
def test_classes_of_a_metaclass():
    assert isinstance(Suit, Iterable) and isinstance(Suit, Sized) and isinstance(Suit, Container)
    assert isinstance(Letters, Iterable) and not isinstance(Letters, Sized)
    assert list(Letters) == ["a", "b"] and [*map(list, (Row(), Suit))] == [[1, 2], [Suit.HEARTS]]
    for ask in (len, lambda kind: 1 in kind, list):
        try: ask(Row)
        except TypeError: continue
        assert False, ask
def test_what_the_code_finds():
    assert list(flat([1, [2, Mine], Row])) == [1, 2, Mine, Row]
""",
        wrong=('iter("ab")', 'iter("ac")'),
    ),
)
