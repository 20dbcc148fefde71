"""Streams and frames as they arrive, and the interpreter of each language."""

from pathlib import Path

import pytest
from tests.integrations.sandboxes.streams import check_capture, check_find, check_frames

from planish_integrations.sandboxes.unsafe._capture import Capture
from planish_integrations.sandboxes.unsafe._frames import Frames
from planish_integrations.sandboxes.unsafe._languages import LANGUAGES, find


def test_frames_count_when_they_are_complete() -> None:
    check_frames(Frames)


@pytest.mark.anyio
async def test_a_stream_is_kept_up_to_its_limit() -> None:
    await check_capture(Capture)


def test_each_language_has_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_find(find, LANGUAGES, tmp_path, monkeypatch)
