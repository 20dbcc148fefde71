"""Cells that E2B's code-interpreter server and its double have to answer alike."""

from collections.abc import Mapping

__all__ = ["CELLS"]

CELLS: Mapping[str, str] = {
    # values
    "an expression": "1 + 1",
    "nothing": "",
    "blank lines": "\n\n   \n",
    "only a comment": "# nothing",
    "None": "None",
    "a statement": "x = 5",
    "a variable of an earlier cell": "x",
    "an expression before another": "1\n2",
    "an assignment last": "x\ny = x",
    "a semicolon": "x;",
    "a semicolon and a comment": "x; # hidden",
    "a semicolon in a text": "'a;'",
    "a text": "'quoted'",
    "a text with a quote": '"it\'s"',
    "a text with both quotes": "'it\\'s \"so\"'",
    "an empty text": "''",
    "a text in double quotes": "print('\"x\"'); '\"x\"'",
    "a text of two lines": "'a\\nb'",
    "a text beyond ASCII": "'é漢\U0001f600'",
    "bytes": "b'\\x00\\xff'",
    "an integer of many digits": "10 ** 40",
    "floats": "0.1 + 0.2, float('nan'), float('inf')",
    "a tuple": "(1, 'a', None)",
    "a set": "{1, 2, 3}",
    "a list": "[1, 2, (3,)]",
    "an empty list": "[]",
    "a long list": "list(range(2000))",
    "a dict": "{'a': 1, 'b': [True, None]}",
    "an empty dict": "{}",
    "a dict with numbers as keys": "{1: 'a', 2.5: 'b', None: 'c'}",
    "a dict that is no JSON": "{'a': {1}}",
    "a dict with a text beyond ASCII": "{'é': '漢'}",
    "a list with NaN": "[float('nan'), float('inf')]",
    "a list with a large integer": "[2 ** 70]",
    "a list with dates": ("import datetime as d\n[d.date(2026, 1, 2), d.datetime(2026, 1, 2)]"),
    "a list of data classes": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n[P(1)]"
    ),
    "a dict of bytes": "{'a': b'x'}",
    "a nested list": "[[1, [2, [3]]], {'a': {'b': [1]}}]",
    "a subclass of dict": "from collections import OrderedDict\nOrderedDict(a=1)",
    "a function": "def f(a): return a\nf",
    "a class": "class C:\n    pass\nC",
    "a module": "import math\nmath",
    "an object": "class O:\n    def __repr__(self): return 'an O'\nO()",
    "an object whose repr raises": (
        "class B:\n    def __repr__(self): raise ValueError('no')\nB()"
    ),
    "the last value": "40 + 2",
    "underscore": "_",
    "two underscores": "_ , __",
    "numbered outputs": "sorted(Out)[:3], type(Out).__name__",
    "inputs": "In[1], In[2]",
    "the name": "__name__",
    "the file": "__file__",
    "arguments": "import sys; sys.argv[1]",
    "the shell": "type(get_ipython()).__name__",
    "names of the template": "ip is get_ipython()",
    "a cell that is indented": "    3 + 4",
    "prompts": ">>> 3 + 4",
    # printing
    "print": "print('a')",
    "print without an end": "print('a', end='')",
    "print nothing": "print(end='')",
    "print twice": "print('a')\nprint('b')",
    "print and a value": "print('a')\n1",
    "print to the error stream": "import sys\nprint('e', file=sys.stderr)",
    "both streams": "print('o')\nsys.stdout.flush()\nprint('e', file=sys.stderr)",
    "print beyond ASCII": "print('é漢\U0001f600')",
    "print a lone surrogate": "print('\\ud800')",
    "print a carriage return": "print('a\\rb\\x1b[1mc')",
    "print a null character": "print('a\\0b')",
    "write to a descriptor": "import os, time\n_ = os.write(1, b'raw\\n')\ntime.sleep(0.3)",
    "a subprocess": "import subprocess\nsubprocess.run(['echo', 'sub']).returncode",
    "a subprocess by the shell": "import os\nos.system('echo sys')",
    "much output": "for i in range(40000): print(i)",
    "a long line": "print('x' * 300_000)",
    "a warning": "import warnings\nwarnings.warn('careful')",
    "logging": "import logging\nlogging.warning('careful')",
    "is a terminal": "sys.stdout.isatty(), sys.stdout.encoding",
    "a thread": (
        "import threading\nt = threading.Thread(target=print, args=('in a thread',))\n"
        "t.start(); t.join()"
    ),
    # displays
    "display": "display(1)",
    "display several": "display('a', [1])",
    "display of nothing": "display()",
    "display HTML": "from IPython.display import HTML\nHTML('<b>x</b>')",
    "display Markdown": "from IPython.display import Markdown\ndisplay(Markdown('*x*'))",
    "display LaTeX": "from IPython.display import Latex\nLatex('$x$')",
    "display JSON": "from IPython.display import JSON\nJSON({'a': 1})",
    "display SVG": "from IPython.display import SVG\nSVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')",
    "display JavaScript": "from IPython.display import Javascript\nJavascript('1')",
    "display of raw forms": "display({'text/plain': 'p', 'text/x-own': 'o'}, raw=True)",
    "display and a value": "display('first')\n'last'",
    "display with an identity": "h = display('a', display_id='one')",
    "an updated display": "h = display('a', display_id=True)\nh.update('b')",
    "clear the output": (
        "from IPython.display import clear_output\nprint('a')\nclear_output()\nprint('b')"
    ),
    "an image": (
        "from IPython.display import Image as Picture\n"
        "Picture(data=b'\\x89PNG\\r\\n\\x1a\\n' + b'0' * 30, format='png')"
    ),
    "an object with forms": (
        "class F:\n    def _repr_html_(self): return '<i>'\n"
        "    def _repr_png_(self): return b'png'\n    def _repr_svg_(self): return None\nF()"
    ),
    "an object with a bundle": (
        "class M:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n"
        "        return {'text/plain': 'm', 'a/b': 1, 'text/latex': '$'}\nM()"
    ),
    "an object whose form raises": (
        "class E:\n    def __repr__(self): return 'an E'\n"
        "    def _repr_html_(self): raise ValueError('no form')\nE()"
    ),
    # errors
    "an error": "1 / 0",
    "an error in a function": "def g(n):\n    return 1 / n\ng(0)",
    "an error after output": "print('before')\nraise KeyError('why')",
    "an error with a cause": (
        "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('v') from e"
    ),
    "an error with a context": "try:\n    1 / 0\nexcept ZeroDivisionError:\n    {}['k']",
    "an error without a message": "raise ValueError",
    "an error of many lines": "raise ValueError('a\\nb\\nc')",
    "an error of a class of its own": "class Own(Exception): pass\nraise Own(1, 2)",
    "an error with notes": "e = ValueError('v'); e.add_note('a note'); raise e",
    "a group of errors": "raise ExceptionGroup('g', [ValueError(1), KeyError(2)])",
    "a name that is not there": "unknown_name",
    "a syntax error": "x = (",
    "a syntax error in the middle": "a = 1\nb = = 2",
    "wrong indentation": "if True:\nx = 1",
    "an import that fails": "import no_such_module_at_all",
    "a failed assertion": "assert 1 == 2, 'not equal'",
    "recursion": (
        "def r(n): return r(n + 1)\ntry:\n    r(0)\nexcept RecursionError: print('deep')"
    ),
    "an interrupt of its own": "raise KeyboardInterrupt",
    "the value after an error": "_",
    "exit by an exception": "raise SystemExit(3)",
    "exit by an exception with a text": "import sys\nsys.exit('bye')",
    "exit by an exception without a value": "raise SystemExit",
    "input": "input('? ')",
    "a password": "import getpass\ngetpass.getpass()",
    "return outside a function": "return 1",
    # magics and the shell
    "a magic": "%pwd",
    "a magic of a line": "%xmode",
    "a magic that assigns": "here = %pwd\nhere",
    "a magic that is not there": "%no_such_magic",
    "a magic of a cell": "%%capture out\nprint('hidden')",
    "what a magic captured": "out.stdout",
    "a magic of a cell that is not there": "%%no_such_magic\nprint(1)",
    "a magic that runs bash": "%%bash\necho from bash\necho err >&2",
    "a magic that writes a file": "%%writefile hello.txt\nhello",
    "a magic that reads a file": "%cat hello.txt",
    "a command": "!echo from the shell",
    "a command that fails": "!exit 3",
    "a command with a variable": "word = 'w'\n!echo {word} $word",
    "a command that assigns": "lines = !echo a; echo b\nlines",
    "automatic magic": "pwd",
    "change of directory": "%cd /\n%cd -",
    "who": "%who str",
    "a question": "?len",
    "a magic for the environment": "%env NO_SUCH_VARIABLE_X",
    # await
    "await": "import asyncio\nawait asyncio.sleep(0, 'slept')",
    "await in a statement": "z = await asyncio.sleep(0, 7)\nz",
    "async for": "async def gen():\n    yield 1\nasync for i in gen(): print(i)",
    "asyncio.run": "async def main(): return 1\nasyncio.run(main())",
    "the running loop": "asyncio.get_running_loop().is_running()",
    "a task of an earlier cell": "task = asyncio.create_task(asyncio.sleep(0.01, 'done'))",
    "the task of an earlier cell": "await task",
    "a coroutine that is not awaited": "type(asyncio.sleep(0)).__name__",
    # libraries
    "a data frame": "import pandas as pd\npd.DataFrame({'a': [1, 2], 'b': ['x', 'y']})",
    "a data frame with times": "pd.DataFrame({'t': [pd.Timestamp(0)], 'n': [None]})",
    "a data frame with a missing number": "pd.DataFrame({'a': [1.5, float('nan')]})",
    "a data frame with an index": "pd.DataFrame({'a': [1]}, index=['row'])",
    "a series": "pd.Series([1, 2], name='s')",
    "an array": "import numpy as np\nnp.arange(3)",
    "a number of numpy": "np.float64(1.5)",
    "a list of numpy": "[np.int64(1), np.arange(2)]",
    "a plot": "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.title('t')",
    "a figure that is shown": "plt.plot([1]); plt.show()",
    "a figure as a value": "fig, ax = plt.subplots(); ax.bar(['a'], [1]); fig",
    # events
    "a hook after cells": (
        "def hook(result): print('hook', result.result)\n"
        "ip.events.register('post_run_cell', hook)\n5"
    ),
    "a cell with the hook": "6",
    "the hook taken away": "ip.events.unregister('post_run_cell', hook)",
    "the count": "get_ipython().execution_count",
}
"""Cells by name, run one after another in one context."""
