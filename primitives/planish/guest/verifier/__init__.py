"""What runs in the sandbox, beside the candidate.

These modules are plain Python of 3.9 and later, know nothing of planish, and import nothing
that a bare interpreter has not loaded already: json, ast, re or typing would each cost more
than all of the harness. The host reads them as data (`planish.verification._bundle`), and
`main.py` loads them in the sandbox.
"""
