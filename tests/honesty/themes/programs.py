"""Whole programs: input and output."""

from tests.honesty.program import stdio

__all__ = ["PROGRAMS"]

PROGRAMS = (
    stdio(
        "stdio: input and print",
        """
a, b = map(int, input().split())
print(a + b)
""",
        ("1 2\n", "3\n"),
        ("-5 5\n", "0\n"),
        wrong=("a + b", "a - b"),
    ),
    stdio(
        "stdio: all of stdin at once",
        """
import sys
data = sys.stdin.read().split()
n, rest = int(data[0]), list(map(int, data[1:]))
sys.stdout.write(" ".join(map(str, sorted(rest[:n]))) + "\\n")
""",
        ("3\n3 1 2\n", "1 2 3\n"),
        ("1\n\n7", "7\n"),
        wrong=("sorted(rest[:n])", "rest[:n]"),
    ),
    stdio(
        "stdio: lines until the end of the file",
        """
import sys
for number, line in enumerate(sys.stdin, 1):
    print(f"{number}: {line.rstrip()[::-1]}")
""",
        ("abc\nde\n", "1: cba\n2: ed\n"),
        ("", ""),
        wrong=("[::-1]", ""),
    ),
    stdio(
        "stdio: EOFError ends the loop, functions and recursion",
        """
import sys
sys.setrecursionlimit(10**5)
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
def main():
    total = 0
    while True:
        try:
            total += depth(int(input()))
        except EOFError:
            break
    print(total)
if __name__ == "__main__":
    main()
""",
        ("3000\n4\n", "3004\n"),
        ("1", "1\n"),
        wrong=("1 + depth(n - 1)", "2 + depth(n - 1)"),
    ),
    stdio(
        "stdio: buffers and bytes",
        """
import sys, io
input = sys.stdin.buffer.readline
n = int(input())
total = sum(int(x) for x in input().split()[:n])
sys.stdout.buffer.write(b"%d\\n" % total)
sys.stdout.flush()
""",
        ("3\n1 2 3\n", "6\n"),
        wrong=("[:n]", "[1:n]"),
    ),
    stdio(
        "stdio: the usual fast input",
        """
import os, io, sys
data = io.BytesIO(os.read(0, os.fstat(0).st_size)).readlines()
print(len(data), int(data[0]) * 2)
""",
        ("21\nx\n", "2 42\n"),
        wrong=("* 2", "* 3"),
    ),
    stdio(
        "stdio: threads with a larger stack",
        """
import sys, threading
def solve():
    n = int(input())
    def walk(k):
        return 0 if k == 0 else walk(k - 1) + k
    print(walk(n))
sys.setrecursionlimit(10**6)
threading.stack_size(1 << 26)
thread = threading.Thread(target=solve)
thread.start()
thread.join()
""",
        ("5000\n", "12502500\n"),
        wrong=("walk(k - 1) + k", "walk(k - 1) + 1"),
    ),
    stdio(
        "stdio: classes, generators, exit at the end",
        """
import sys
from collections import defaultdict
class Graph:
    def __init__(self):
        self.edges = defaultdict(list)
    def bfs(self, start):
        seen, queue = {start}, [start]
        for node in queue:
            yield node
            for other in self.edges[node]:
                if other not in seen:
                    seen.add(other)
                    queue.append(other)
g = Graph()
for line in sys.stdin:
    a, b = line.split()
    g.edges[a].append(b)
print(*g.bfs("a"))
sys.exit(0)
""",
        ("a b\na c\nb d\n", "a b c d\n"),
        wrong=("queue.append(other)", "queue.insert(0, other)"),
    ),
)
