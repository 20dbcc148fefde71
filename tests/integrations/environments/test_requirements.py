"""Requirements in pip's format, and which of them needs a distribution."""

from pathlib import Path

import pytest

from planish_integrations.environments._requirements import (
    canonical_name,
    dependents_of,
    parse_requirement,
)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder where `top` needs `Mid_dle`, which needs `low` and itself in a circle."""
    needs = {
        "top": ["Mid_dle>=1 ; python_version > '2'", "not a requirement!"],
        "mid.dle": ["low", "top"],
        "low": [],
        "other": ["alone"],
        "alone": [],
    }
    for name, lines in needs.items():
        folder = tmp_path / f"{name.replace('.', '_')}-1.0.dist-info"
        folder.mkdir()
        required = "".join(f"Requires-Dist: {line}\n" for line in lines)
        (folder / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{required}"
        )
    return tmp_path


@pytest.mark.parametrize(
    ("distribution", "names"),
    [
        ("low", ("top", "mid-dle")),
        ("mid-dle", ("top", "mid-dle")),
        ("top", ("top", "mid-dle")),
        ("alone", ("other",)),
        ("other", ("other",)),
        ("absent", ()),
        ("unknown", ("unknown",)),
    ],
)
def test_a_distribution_is_needed_by_what_leads_to_it(
    site: Path, distribution: str, names: tuple[str, ...]
) -> None:
    requirements = ("top>=1", "Mid.Dle", "other", "unknown")
    assert dependents_of(site, requirements, distribution) == names


@pytest.mark.parametrize(
    ("name", "canonical"), [("A_b.C", "a-b-c"), ("a--b", "a-b"), ("a", "a"), ("Pillow", "pillow")]
)
def test_a_name_has_one_spelling(name: str, canonical: str) -> None:
    assert canonical_name(name) == canonical
    assert parse_requirement(f"{name}>=2").name == canonical


@pytest.mark.parametrize("text", ["", "a b", ">=1", "a @@ b", "a>=x"])
def test_what_is_no_requirement_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a requirement"):
        parse_requirement(text)
