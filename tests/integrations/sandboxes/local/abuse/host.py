"""What stands on the host and is not to be reached: canaries, listeners, a victim."""

import ctypes
import json
import os
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.integrations.sandboxes.local.abuse.users import Leg

__all__ = ["Host"]

_VICTIM = Path(__file__).parent / "inside" / "victim.py"
_APART = Path(__file__).parent / "inside" / "apart.py"
_PLACES = """
import json, sys, sysconfig
print(json.dumps([*sysconfig.get_paths().values(), sys.prefix, sys.base_prefix]))
"""
_PLACES_TO_WRITE = ("/tmp", "/var/tmp", "/dev/shm", "/usr", "/usr/lib", "/etc")  # noqa: S108
_IPC_CREAT, _IPC_RMID = 0o1000, 0


class Host:
    """One user's corner of the machine.

    Attributes:
        leg: Whose.
        token: In the name of everything of it.
        folder: All its files; everybody may look in.
        home: The user's own.
        drop: Where anybody may write.
        temporary: Its directory for temporary files.
        canaries: What must not get out, by what it was.
    """

    def __init__(self, leg: Leg, folder: Path) -> None:
        self.leg = leg
        self.token = secrets.token_hex(4)
        self.folder = folder
        self.home = folder / f"home-{self.token}"
        self.drop = folder / "drop"
        self.temporary = folder / "temporary"
        self.canaries = {
            what: f"canary-{what}-{secrets.token_hex(8)}"
            for what in ("file", "key", "environ", "descriptor", "memory", "shared", "rootonly")
        }
        self.extra_places: tuple[str, ...] = ()
        self._undo = ExitStack()
        self._victim: subprocess.Popen[bytes] | None = None
        self._views = [""]  # of the file system: this process's, and those of the controls
        self._make_files()
        with self.spawn("-c", _PLACES, env=self.environment, stdout=subprocess.PIPE) as asked:
            self._sites: tuple[str, ...] = tuple(json.loads(asked.communicate()[0]))
        self._listen()
        self._share()

    def _make_files(self) -> None:
        for path in (self.folder, self.home, self.drop, self.temporary):
            path.mkdir()
            path.chmod(0o777 if path in (self.drop, self.temporary) else 0o755)
            os.chown(path, self.leg.owner, self.leg.owner)
        self._write(self.folder / "canary.txt", "file")
        self._write(self.home / "canary.txt", "file")
        self._write(self.folder / "pit" / "canary.txt", "file")
        self._write(self.home / "descriptor.txt", "descriptor")
        self._write(self.home / ".ssh" / "id_ed25519", "key")
        self._write(Path(f"/dev/shm/planish-{self.token}"), "shared")  # noqa: S108 - that one
        self._undo.callback(self.shared_file.unlink, missing_ok=True)
        self._gain_root()

    def _write(self, path: Path, what: str) -> None:
        if path.parent != self.shared_file.parent:
            path.parent.mkdir(exist_ok=True, mode=0o755)
            os.chown(path.parent, self.leg.owner, self.leg.owner)
        path.write_text(self.canaries[what])
        path.chmod(0o644)
        os.chown(path, self.leg.owner, self.leg.owner)

    def _gain_root(self) -> None:
        """A program that gives its caller root's rights, and a file that only root reads."""
        if os.getuid() == 0:
            shutil.copy("/bin/cat", self.folder / "gain")
            (self.folder / "gain").chmod(0o4755)
            (self.folder / "rootonly").write_text(self.canaries["rootonly"])
            (self.folder / "rootonly").chmod(0o600)

    @property
    def shared_file(self) -> Path:
        """A file that is shared memory."""
        return Path(f"/dev/shm/planish-{self.token}")  # noqa: S108 - that one is meant

    def _listen(self) -> None:
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self._unix = socket.socket(socket.AF_UNIX)
        self._unix.bind(str(self.drop / "socket"))
        (self.drop / "socket").chmod(0o777)
        self._abstract = socket.socket(socket.AF_UNIX)
        self._abstract.bind(f"\0planish-{self.token}")
        for listener in (self._unix, self._abstract):
            listener.listen()
        for one in (self._tcp, self._udp, self._unix, self._abstract):
            one.setblocking(False)
            self._undo.enter_context(one)

    def _share(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self.shared_key = secrets.randbits(30) + 1
        number = libc.shmget(self.shared_key, 4096, _IPC_CREAT | 0o666)
        libc.shmat.restype = ctypes.c_void_p
        address = libc.shmat(number, None, 0)
        ctypes.memmove(address, self.canaries["shared"].encode(), len(self.canaries["shared"]))
        libc.shmdt(ctypes.c_void_p(address))
        self._undo.callback(libc.shmctl, number, _IPC_RMID, None)

    def spawn(
        self,
        *command: str,
        env: dict[str, str],
        stdin: int | None = None,
        stdout: int | None = None,
        stderr: int | None = None,
        start_new_session: bool = False,
        pass_fds: tuple[int, ...] = (),
        apart: bool = False,
    ) -> "subprocess.Popen[bytes]":
        """Start a process of this user's.

        With `apart`, what it writes in folders that the whole machine shares stays in a mount
        namespace of its own, where `planted` looks too.
        """
        uid = None if apart else self.leg.uid
        start = [self.leg.python, *command]
        if apart:
            stage = self.folder / f"stage-{secrets.token_hex(4)}"
            stage.mkdir()
            user = "-" if self.leg.uid is None else str(self.leg.uid)
            start = [sys.executable, "-I", str(_APART), str(self.folder), str(stage), user, *start]
        process = subprocess.Popen(
            start,
            cwd=self.home,
            env=env,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=start_new_session,
            pass_fds=pass_fds,
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
        )
        if apart:
            self._views.append(f"/proc/{process.pid}/root")
        return process

    @cached_property
    def why_no_controls(self) -> str:
        """Return why no process can be started `apart` on this machine; "" if one can."""
        pipe = subprocess.PIPE
        with self.spawn("-c", "", env=self.environment, stderr=pipe, apart=True) as tried:
            last = tried.communicate()[1].decode().splitlines()[-1:]
        return f"controls have no namespace of their own here: {last}" if tried.returncode else ""

    @property
    def environment(self) -> dict[str, str]:
        """What this user's programs are started with: the secret among it."""
        return {
            "A_VARIABLE": "of the host",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PATH": os.environ.get("PATH", os.defpath),
            "PLANISH_ABUSE_SECRET": self.canaries["environ"],
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": self.leg.path,
            "TMPDIR": str(self.temporary),
        }

    @property
    def victim(self) -> dict[str, int]:
        """A process that has done no harm: its id, and where its secret lies."""
        if self._victim is None or self._victim.poll() is not None:
            self._bury_victim()
            self._victim = self.spawn(
                "-c",
                _VICTIM.read_text(encoding="utf-8"),
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            assert self._victim.stdin is not None
            assert self._victim.stdout is not None
            self._victim.stdin.write(f"{self.canaries['memory']}\n".encode())
            self._victim.stdin.flush()
            self._facts: dict[str, int] = json.loads(self._victim.stdout.readline())
            os.set_blocking(self._victim.stdout.fileno(), False)
        return self._facts

    def harm(self) -> str | None:
        """What has come to the victim since this was last asked; None when nothing has."""
        if self._victim is None:
            return None
        if self._victim.poll() is not None:
            return f"the victim was killed: {self._victim.returncode}"
        state = Path(f"/proc/{self._victim.pid}/stat").read_text().rpartition(")")[2].split()[0]
        if state in "tT":
            self._victim.send_signal(signal.SIGCONT)
            return "the victim was stopped"
        assert self._victim.stdout is not None
        heard = self._victim.stdout.read()
        return f"the victim got {heard!r}" if heard else None

    def _bury_victim(self) -> None:
        if self._victim is not None:
            self._victim.kill()
            self._victim.wait()
            for stream in (self._victim.stdin, self._victim.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()

    def connected(self) -> str | None:
        """Which listener was reached since this was last asked."""
        reached: list[str] = []
        for what in ("_tcp", "_unix", "_abstract"):
            with suppress(BlockingIOError):
                getattr(self, what).accept()[0].close()
                reached.append(what.strip("_"))
        with suppress(BlockingIOError):
            self._udp.recv(65536)
            reached.append("udp")
        return f"the host's listener was reached: {', '.join(reached)}" if reached else None

    def planted(self) -> str | None:
        """What has appeared where anybody may write; it is removed."""
        mark, found = f"planted-{self.token}", list[str]()
        own = tuple(map(str, (self.drop, self.home, self.folder, self.temporary)))
        places = (*own, *_PLACES_TO_WRITE, *self.extra_places)
        for path in (Path(f"{view}{place}", mark) for view in self._views for place in places):
            if os.path.lexists(path):
                found.append(str(path))
                (shutil.rmtree if stat.S_ISDIR(path.lstat().st_mode) else os.unlink)(path)
        return f"written on the host: {', '.join(found)}" if found else None

    def restore(self) -> None:
        """Put the canaries back where a control has spoiled them."""
        for folder in (self.folder, self.home):
            for path in folder.glob("canary.txt*"):
                path.unlink()
            self._write(folder / "canary.txt", "file")

    @property
    def site_folders(self) -> tuple[str, ...]:
        """Where this user's Python looks for modules."""
        return self._sites

    def facts(self, name: str) -> dict[str, Any]:
        """What an abusive program is told, so that it need not look for it."""
        return {
            "abstract": f"\0planish-{self.token}",
            "canary": str(self.folder / "canary.txt"),
            "drop": str(self.drop),
            "folder": str(self.folder),
            "home": str(self.home),
            "pit": str(self.folder / "pit"),
            "mark": f"planted-{self.token}",
            "name": name,
            "port": self._tcp.getsockname()[1],
            "shared_file": str(self.shared_file),
            "shared_key": self.shared_key,
            "token": self.token,
            "udp_port": self._udp.getsockname()[1],
            "victim": self.victim,
        }

    def forget(self, shared_key: int, name: str) -> None:
        """Remove what a control has left in shared memory and elsewhere."""
        libc = ctypes.CDLL(None)
        number = libc.shmget(shared_key, 0, 0)
        if number >= 0:
            libc.shmctl(number, _IPC_RMID, None)
        for place in ("/tmp", "/var/tmp", "/dev/shm", str(self.home)):  # noqa: S108 - those
            Path(place, name).unlink(missing_ok=True)

    def close(self) -> None:
        """Leave nothing."""
        self._bury_victim()
        self._undo.close()
        shutil.rmtree(self.folder, ignore_errors=True)
