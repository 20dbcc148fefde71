"""Tests of the rule for conditions of skipped tests: what depends on the machine alone."""

import ast

from planish.guest.verifier.conditions import asks_candidate, is_of_host, skips_by_host

HOST = [
    "sys.version_info < (3, 12)",
    "sys.platform.startswith('win')",
    "os.name == 'nt' or platform.system() == 'Windows'",
    "not bool(os.environ.get('CI'))",
    "os.path.exists('/dev/kvm')",
    "'sys.maxsize > 2**32'",
]
CANDIDATE = [
    "square(2) == 4",
    "os.path.exists('here')",
    "os.path.exists('/tmp/here')",
    "os.path.exists(os.path.join('/etc', 'here'))",
    "any(map(os.path.exists, ['here']))",
    "os.listdir()",
    "'fractions' in sys.modules",
    "'fractions' in sys.__dict__['modules']",
    "'square(2) == 4'",
    "'no expression'",
]


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def test_a_condition_is_of_the_host_if_no_candidate_can_change_it() -> None:
    assert [text for text in HOST + CANDIDATE if is_of_host(_expression(text))] == HOST


OUTSIDE = [
    "if not os.path.exists('/dev/kvm'): pytest.skip('here is no kvm')",
    "if shutil.which('git') is None: pytest.skip('no git')",
    "if stat == 1: pytest.skip('no')",
    "if Path('/etc').exists(): pytest.skip('no')",
]
INSIDE = [
    "if not open('here').read(): pytest.skip('no')",
    "if exists('here'): pytest.skip('no')",
    "if Path('here').exists(): pytest.skip('no')",
    "if 'torch' in modules: pytest.skip('no')",
]


def test_a_statement_asks_for_what_the_candidate_can_change() -> None:
    asking = [one for one in OUTSIDE + INSIDE if asks_candidate(ast.walk(ast.parse(one)))]
    assert asking == INSIDE


AUTHORS = [
    "@unittest.skip('later')",
    "@unittest.skipIf(sys.platform == 'win32', reason=why())",
    "@unittest.skipUnless(condition=os.name == 'nt', reason='no')",
]
OTHERS = [
    "@unittest.skipUnless(condition=square(2) == 4, reason='no')",
    "@unittest.skipIf(**conditions)",
    "@unittest.skipIf('fractions' in sys.modules, 'no')",
    "from unittest import skip as later\n@later('no')",
    "Other = unittest.skip('no')(Other)\n@unittest.skip('no')",
]


def test_marks_of_unittest_are_of_the_host_if_all_are() -> None:
    body = "class Some(unittest.TestCase): pass\n"
    assert [one for one in AUTHORS + OTHERS if skips_by_host(f"{one}\n{body}")] == AUTHORS
