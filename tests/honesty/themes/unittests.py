"""unittest classes: fixtures, subtests, the many assert methods, logs."""

from tests.honesty.program import checks

__all__ = ["ACCOUNT", "PROGRAMS"]

ACCOUNT = """
import logging
log = logging.getLogger("bank")
class InsufficientFunds(Exception):
    pass
class Account:
    instances = 0
    def __init__(self, owner, balance=0):
        Account.instances += 1
        self.owner, self.balance = owner, balance
        self.history = []
    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        self.history.append(("deposit", amount))
        log.info("deposit %s", amount)
    def withdraw(self, amount):
        if amount > self.balance:
            log.error("refused")
            raise InsufficientFunds(f"{self.owner} lacks {amount - self.balance}")
        self.balance -= amount
        self.history.append(("withdraw", amount))
    def __repr__(self):
        return f"Account({self.owner!r}, {self.balance})"
"""

PROGRAMS = (
    checks(
        "setUp, tearDown, cleanups",
        ACCOUNT,
        """
import unittest

class AccountTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = Account("shared", 1)
    @classmethod
    def tearDownClass(cls):
        del cls.shared
    def setUp(self):
        self.account = Account("ann", 10)
    def tearDown(self):
        self.account = None
    def test_deposit(self):
        self.account.deposit(5)
        self.assertEqual(self.account.balance, 15)
        self.assertEqual(self.account.history, [("deposit", 5)])
    def test_fresh(self):
        self.assertEqual(self.account.balance, 10)
        self.assertFalse(self.account.history)
        self.assertGreaterEqual(Account.instances, 2)
    def test_shared(self):
        self.assertEqual(repr(self.shared), "Account('shared', 1)")
""",
        wrong=("self.balance += amount", "self.balance += 1"),
    ),
    checks(
        "assertRaises, assertRaisesRegex, assertLogs",
        ACCOUNT,
        """
import unittest

class ErrorTest(unittest.TestCase):
    def test_raises(self):
        with self.assertRaises(ValueError) as context:
            Account("a").deposit(-1)
        self.assertEqual(str(context.exception), "amount must be positive")
        self.assertRaises(InsufficientFunds, Account("a").withdraw, 5)
    def test_regex(self):
        with self.assertRaisesRegex(InsufficientFunds, r"ann lacks \\d"):
            Account("ann").withdraw(3)
    def test_logs(self):
        with self.assertLogs("bank", level="INFO") as logs:
            Account("a").deposit(5)
        self.assertEqual(logs.output, ["INFO:bank:deposit 5"])
        with self.assertLogs() as logs:
            with self.assertRaises(InsufficientFunds):
                Account("a").withdraw(1)
        self.assertEqual(logs.records[0].levelname, "ERROR")
    def test_no_logs(self):
        with self.assertNoLogs("bank"):
            Account("a", 5).withdraw(1)
""",
        wrong=('"deposit %s"', '"deposited %s"'),
    ),
    checks(
        "subTest and the assert methods",
        """
def analyse(text):
    words = text.split()
    mean = sum(map(len, words)) / max(len(words), 1)
    return {"words": len(words), "unique": sorted(set(words)), "mean": mean}
def head(items, n=1):
    return items[:n]
""",
        """
import unittest

class AnalyseTest(unittest.TestCase):
    maxDiff = None
    def test_table(self):
        for text, words in [("", 0), ("a", 1), ("a b a", 3)]:
            with self.subTest(text=text):
                self.assertEqual(analyse(text)["words"], words)
    def test_methods(self):
        r = analyse("bb a a")
        self.assertAlmostEqual(r["mean"], 1.3333, places=3)
        self.assertListEqual(r["unique"], ["a", "bb"])
        self.assertCountEqual(r, ["mean", "unique", "words"])
        self.assertDictEqual(r, {**r})
        self.assertIn("words", r); self.assertNotIn("x", r)
        self.assertIsInstance(r, dict); self.assertIsNone(r.get("x"))
        self.assertGreater(r["words"], 2); self.assertLess(r["mean"], 2)
        self.assertTupleEqual(head((1, 2)), (1,)); self.assertSequenceEqual(head("ab"), "a")
        self.assertSetEqual(set(r["unique"]), {"a", "bb"}); self.assertTrue(r)
        self.assertRegex(r["unique"][1], "^b+$")
        self.assertMultiLineEqual(head("a\\nb", 3), "a\\nb")
        self.assertNotEqual(r, {}); self.assertIsNot(head([1]), head([1]))
""",
        wrong=("sorted(set(words))", "sorted(words)"),
    ),
    checks(
        "custom equality and messages",
        ACCOUNT,
        """
import unittest

class EqualTest(unittest.TestCase):
    def setUp(self):
        self.addTypeEqualityFunc(Account, self.same)
    def same(self, first, second, msg=None):
        if (first.owner, first.balance) != (second.owner, second.balance):
            raise self.failureException(msg or f"{first!r} is not {second!r}")
    def test_same(self):
        one, other = Account("a", 1), Account("a", 3)
        other.withdraw(2)
        self.assertEqual(one, other)
        with self.assertRaises(AssertionError):
            self.assertEqual(one, Account("b", 1))
    def test_fields(self):
        self.assertEqual(vars(Account("a")), {"owner": "a", "balance": 0, "history": []})
""",
        wrong=("self.balance -= amount", "self.balance -= 1"),
    ),
    checks(
        "IsolatedAsyncioTestCase",
        """
import asyncio
class Channel:
    def __init__(self):
        self.queue = []
        self.open = False
    async def connect(self):
        await asyncio.sleep(0)
        self.open = True
        return self
    async def send(self, item):
        if not self.open:
            raise ConnectionError("closed")
        self.queue.append(item)
        await asyncio.sleep(0)
        return len(self.queue)
""",
        """
import unittest

class ChannelTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.channel = await Channel().connect()
    async def test_send(self):
        self.assertEqual(await self.channel.send("a"), 1)
        self.assertEqual(await self.channel.send("b"), 2)
        self.assertEqual(self.channel.queue, ["a", "b"])
    async def test_closed(self):
        with self.assertRaises(ConnectionError):
            await Channel().send("x")
""",
        wrong=("len(self.queue)", "len(self.queue) - 1"),
    ),
)
