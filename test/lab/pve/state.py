"""The state directory: one server at a time, and cluster.json written atomically."""

import fcntl
import json
import os
from pathlib import Path
from typing import Any

from .settings import SetupError

VERSION = 1


class StateDir:
    """Holds the lock on a state directory for the life of the process."""

    def __init__(self, path: Path):
        self.path = path
        self.file = path / 'cluster.json'
        self._lock: int | None = None
        self._last: str | None = None

    def acquire(self) -> None:
        """Create the directory, lock it and write server.pid, or raise SetupError."""
        try:
            for folder in (self.path, self.path / 'vms', self.path / 'volumes'):
                folder.mkdir(parents=True, exist_ok=True)
            # The directory holds guests' disks and sockets that act as root in them.
            self.path.chmod(0o700)
            fd = os.open(self.path / 'server.lock', os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as e:
            raise SetupError(f'cannot write to the state directory {self.path}: {e.strerror}. '
                             'Make it writable or give another one with --state') from e
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            os.close(fd)
            raise SetupError(f'another server (pid {self._other()}) uses the state directory {self.path}. '
                             'Use that one, or stop it first: kill -TERM its pid') from e
        self._lock = fd
        (self.path / 'server.pid').write_text(f'{os.getpid()}\n')

    def _other(self) -> str:
        try:
            return (self.path / 'server.pid').read_text().strip()
        except OSError:
            return 'unknown'

    def load(self) -> dict[str, Any] | None:
        """The saved cluster, or None when there is none yet."""
        try:
            text = self.file.read_text(encoding='utf-8')
        except FileNotFoundError:
            return None
        try:
            data = json.loads(text)
            if data['version'] != VERSION:
                raise ValueError(f'its version is {data["version"]}, this server reads {VERSION}')
        except (ValueError, KeyError, TypeError) as e:
            raise SetupError(f'cannot use {self.file}: {e}. Move it away to start with an empty cluster; '
                             'the disks stay in volumes/') from e
        self._last = text
        return data

    def save(self, data: dict[str, Any]) -> None:
        """Write the cluster if it changed: to a new file, synced, then renamed over the old one."""
        text = json.dumps({'version': VERSION, **data}, sort_keys=True, indent=1)
        if text == self._last:
            return
        fresh = self.file.with_suffix('.json.new')
        with open(fresh, 'w', encoding='utf-8') as out:
            os.chmod(fresh, 0o600)
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        os.replace(fresh, self.file)
        self._last = text

    def release(self) -> None:
        if self._lock is not None:
            (self.path / 'server.pid').unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None
