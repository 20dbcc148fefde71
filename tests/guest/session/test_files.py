"""The files of a session as they were: copied, and put back."""

import os
from pathlib import Path

from planish.guest.session.files import copy_tree, put_back


def test_links_and_modes_come_back_and_what_is_new_goes(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "run.sh").write_text("true")
    (closed / "run.sh").chmod(0o750)
    closed.chmod(0o555)
    (tmp_path / "empty").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("closed/run.sh")
    (tmp_path / "broken").symlink_to("nowhere")
    before = shown(tmp_path)
    assert len(before) == 5
    os.mkfifo(tmp_path / "pipe")  # it has no content that could come back
    tree = copy_tree(str(tmp_path))
    closed.chmod(0o755)
    (closed / "run.sh").unlink()
    (closed / "new").mkdir()
    (tmp_path / "empty").rmdir()
    (tmp_path / "link").unlink()
    (tmp_path / "broken").unlink()
    (tmp_path / "broken").write_text("no link any more")
    for _ in range(2):
        put_back(str(tmp_path), tree)
        assert shown(tmp_path) == before


def shown(root: Path) -> dict[str, tuple[str, str | None]]:
    """Return the mode of each file, link and folder, and what it holds."""
    found: dict[str, tuple[str, str | None]] = {}
    for path in root.rglob("*"):
        held = str(path.readlink()) if path.is_symlink() else None
        if held is None and path.is_file():
            held = path.read_text()
        found[str(path.relative_to(root))] = (oct(path.lstat().st_mode), held)
    return found
