"""Objects of libraries that the tests make, and whose attributes the code sets."""

from tests.honesty.program import checks, pytest_file

__all__ = ["PROGRAMS"]

PROGRAMS = (
    checks(
        "elements of XML documents of the tests, changed by the code",
        """
def annotate(root):
    for element in root.iter("item"):
        element.text = (element.text or "").upper()
        element.tail = None
        element.set("done", "yes")
    root.tag = "list"
    return root
""",
        """
import xml.etree.ElementTree as ET
root = ET.fromstring("<r><item>a</item> <item>b</item></r>")
assert annotate(root) is root
assert ET.tostring(root) == (
    b'<list><item done="yes">A</item><item done="yes">B</item></list>'
)
""",
        wrong=(".upper()", ".lower()"),
    ),
    checks(
        "syntax trees of the tests, changed by a transformer of the code",
        """
import ast

class Strip(ast.NodeTransformer):
    def __init__(self, names):
        self.names = names
    def visit_Name(self, node):
        node.id = self.names.get(node.id, node.id)
        return node
    def visit_FunctionDef(self, node):
        node.returns = None
        node.decorator_list = []
        self.generic_visit(node)
        return node

def strip(tree, **names):
    return ast.fix_missing_locations(Strip(names).visit(tree))
""",
        """
import ast
tree = ast.parse("@deco\\ndef f(a) -> int:\\n    return a + b\\n")
assert ast.unparse(strip(tree, b="c")) == "def f(a):\\n    return a + c"
""",
        wrong=("node.returns = None", "node.lineno = 1"),
    ),
    pytest_file(
        "a database connection of the tests, set up by the code",
        """
import sqlite3

class Notes:
    def __init__(self, connection):
        self.connection = connection
        connection.row_factory = sqlite3.Row
        connection.execute("create table notes(id integer primary key, text text unique)")
    def add(self, text):
        with self.connection:
            return self.connection.execute("insert into notes(text) values (?)", (text,)).lastrowid
    def all(self):
        return [dict(row) for row in self.connection.execute("select * from notes order by id")]
""",
        """
import sqlite3
import pytest
from solution import Notes

@pytest.fixture
def connection():
    made = sqlite3.connect(":memory:")
    yield made
    made.close()

@pytest.fixture
def notes(connection):
    return Notes(connection)

def test_rows(notes, connection):
    assert notes.add("a") == 1
    assert notes.all() == [{"id": 1, "text": "a"}]
    assert connection.execute("select text from notes").fetchone()["text"] == "a"

def test_unique(notes):
    notes.add("a")
    with pytest.raises(sqlite3.IntegrityError):
        notes.add("a")
    assert len(notes.all()) == 1
""",
        wrong=("order by id", "where id > 1"),
    ),
    checks(
        "properties and defaults of objects of the library",
        """
def semicolons(dialect):
    dialect.delimiter = ";"
    return dialect
def label(handler, name):
    handler.name = name
def round_to(context, digits):
    context.prec = digits
""",
        """
import csv, io, logging
from decimal import Context, Decimal
out = io.StringIO()
csv.writer(out, semicolons(csv.excel())).writerow([1, 2])
assert out.getvalue() == "1;2\\r\\n"
assert csv.excel.delimiter == ","
handler = logging.StreamHandler(io.StringIO())
label(handler, "main")
assert handler.get_name() == "main"
context = Context()
round_to(context, 4)
assert context.divide(Decimal(1), Decimal(3)) == Decimal("0.3333")
""",
        wrong=("context.prec = digits", "context.prec = digits + 1"),
    ),
    checks(
        "exceptions of the tests, to which the code adds arguments, notes and attributes",
        """
def within(name, call):
    try:
        return call()
    except Exception as error:
        error.args = (f"{name}: {error.args[0]}", *error.args[1:])
        error.add_note("see the log")
        error.steps = [name, *getattr(error, "steps", ())]
        raise error from LookupError(name)
""",
        """
class Refused(Exception):
    pass
first = ValueError("no", 1)
def fail():
    raise first
try:
    within("outer", lambda: within("inner", fail))
except ValueError as error:
    assert error is first
    assert error.args == ("outer: inner: no", 1)
    assert error.__notes__ == ["see the log"] * 2
    assert error.steps == ["outer", "inner"]
    assert isinstance(error.__cause__, LookupError) and error.__cause__.args == ("outer",)
else:
    raise AssertionError("nothing was raised")
def refuse():
    raise Refused("closed")
try:
    within("door", refuse)
except Refused as error:
    assert str(error) == "door: closed" and error.steps == ["door"]
    assert error.__notes__ == ["see the log"]
else:
    raise AssertionError("nothing was raised")
""",
        wrong=("see the log", "see the logs"),
    ),
)
