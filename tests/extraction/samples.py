"""Samples of code and helpers to write replies."""

CODE = "def f(x):\n    return x + 1"
OLD = "def f(x):\n    return x"
BROKEN = "def f(x)\n    return x + 1"
NESTING = 'def f(x):\n    """Use:\n\n    ```python\n    f(1)\n    ```\n    """\n    return x + 1'
QUOTING = 'PAGE = """\n```\nls\n```\n"""\n\ndef f(x):\n    return PAGE'
BINDING = """def f(x):
    try:
        match x:
            case {"a": 1, **g}:
                return g
            case [_, *h]:
                return h
    except OSError as e:
        return e"""
BODY = "    y = x + 1\n    return y"


def fence(code: str, tag: str = "python", mark: str = "```") -> str:
    return f"{mark}{tag}\n{code}\n{mark}"


def lines(*parts: str) -> str:
    return "\n".join(parts)


def indented(text: str, by: str) -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))
