"""Files of a loopback sandbox: REST for their content, the SDK's server classes for the rest."""

import shutil
import stat
from email.parser import BytesParser
from email.policy import HTTP
from pathlib import Path

from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.request import RequestContext
from e2b.envd.filesystem import filesystem_pb as pb
from e2b.envd.filesystem.filesystem_connect import Filesystem

from ._faults import Faults
from ._http import HttpRequest, Send, send_json, send_response
from ._machine import Machine

__all__ = ["Files", "serve_files"]


async def serve_files(machine: Machine, request: HttpRequest, faults: Faults, send: Send) -> None:
    """Answer one request for `/files`."""
    if await faults.apply("read" if request.method == "GET" else "write", send):
        return
    if machine.ended.is_set():  # it ended while the request was read
        await send_json(send, 502, "The sandbox was not found")
        return
    if request.method == "GET":
        path = machine.path(request.query.get("path", ""))
        if path.is_file():
            await send_response(send, 200, path.read_bytes())
        else:
            await send_json(send, 404, f"path '{request.query.get('path')}' does not exist")
        return
    kind = request.headers.get("content-type", "")
    if kind.startswith("multipart/form-data"):
        parts = _parts(kind, request.body)
    else:
        parts = [("", request.body)]
    target = request.query.get("path")
    entries: list[dict[str, str]] = []
    for name, content in parts:
        path = machine.path(target or name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        entries.append({"path": target or name, "name": path.name, "type": "file"})
    await send_json(send, 200, entries)


def _parts(kind: str, body: bytes) -> list[tuple[str, bytes]]:
    """Return the name and content of each file of a multipart form."""
    message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n")
    boundary = b"--" + str(message.get_boundary()).encode()
    files: list[tuple[str, bytes]] = []
    for piece in (b"\r\n" + body).split(b"\r\n" + boundary)[1:-1]:
        head, _, content = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        part = BytesParser(policy=HTTP).parsebytes(head + b"\r\n\r\n")
        files.append((part.get_filename() or "", content))
    return files


class Files(Filesystem):
    """The filesystem service of one sandbox, without watching."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    async def stat(
        self, request: pb.StatRequest, _ctx: RequestContext[pb.StatRequest, pb.StatResponse]
    ) -> pb.StatResponse:
        """Return a path's properties."""
        return pb.StatResponse(entry=_entry(self._existing(request.path), request.path))

    async def make_dir(
        self,
        request: pb.MakeDirRequest,
        _ctx: RequestContext[pb.MakeDirRequest, pb.MakeDirResponse],
    ) -> pb.MakeDirResponse:
        """Create a folder and its parents."""
        path = self._machine.path(request.path)
        if path.exists():
            raise ConnectError(Code.ALREADY_EXISTS, f"'{request.path}' exists")
        path.mkdir(parents=True)
        return pb.MakeDirResponse(entry=_entry(path, request.path))

    async def move(
        self, request: pb.MoveRequest, _ctx: RequestContext[pb.MoveRequest, pb.MoveResponse]
    ) -> pb.MoveResponse:
        """Move a file or a folder."""
        path = self._machine.path(request.destination)
        self._existing(request.source).rename(path)
        return pb.MoveResponse(entry=_entry(path, request.destination))

    async def list_dir(
        self,
        request: pb.ListDirRequest,
        _ctx: RequestContext[pb.ListDirRequest, pb.ListDirResponse],
    ) -> pb.ListDirResponse:
        """Return the content of a folder, down to a depth."""
        root = self._existing(request.path)
        depth = request.depth or 1
        files = [
            path for path in sorted(root.rglob("*")) if len(path.relative_to(root).parts) <= depth
        ]
        base = request.path.rstrip("/")
        entries = [_entry(path, f"{base}/{path.relative_to(root)}") for path in files]
        return pb.ListDirResponse(entries=entries)

    async def remove(
        self, request: pb.RemoveRequest, _ctx: RequestContext[pb.RemoveRequest, pb.RemoveResponse]
    ) -> pb.RemoveResponse:
        """Remove a file, or a folder with its content."""
        path = self._machine.path(request.path)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
        return pb.RemoveResponse()

    def _existing(self, name: str) -> Path:
        path = self._machine.path(name)
        if not path.exists():
            raise ConnectError(Code.NOT_FOUND, f"path '{name}' does not exist")
        return path


def _entry(path: Path, name: str) -> pb.EntryInfo:
    files = path.lstat()
    folder = stat.S_ISDIR(files.st_mode)
    return pb.EntryInfo(
        name=path.name,
        type=pb.FileType.DIRECTORY if folder else pb.FileType.FILE,
        path=name,
        size=files.st_size,
        mode=stat.S_IMODE(files.st_mode),
        permissions=stat.filemode(files.st_mode),
        owner="user",
        group="user",
    )
