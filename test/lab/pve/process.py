"""One QEMU process a VM: started detached, found again by its pidfile, ended only when it is ours."""

import asyncio
import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from .commandline import Machine

# A QEMU that refuses its configuration is gone within this time.
SETTLE_SECONDS = 2.0


class StartError(Exception):
    """QEMU did not start; the message says why."""


def port_is_free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As QEMU binds: connections that linger after a stop do not count as an occupied port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            return True
        except OSError:
            return False


def tail(path: Path, lines: int = 5) -> str:
    try:
        return '\n'.join(path.read_text(errors='replace').splitlines()[-lines:])
    except OSError:
        return ''


class QemuProcess:
    """The process of one VM, of this server or of one before it."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.pidfile = folder / 'qemu.pid'
        self._child: subprocess.Popen[bytes] | None = None

    def pid(self) -> int | None:
        """The pid, if the process is alive and ours: its command line names our pidfile."""
        if self._child is not None and self._child.poll() is not None:
            self._child = None
        try:
            pid = int(self.pidfile.read_text().strip())
            # A dead process that nobody waited for has an empty command line.
            argv = Path(f'/proc/{pid}/cmdline').read_bytes().split(b'\0')
        except (OSError, ValueError):
            pid, argv = 0, []
        if pid and os.fsencode(self.pidfile) in argv:
            return pid
        if self._child is not None:
            return self._child.pid  # just started, its pidfile comes in a moment
        return None

    async def start(self, machine: Machine) -> int:
        """Start QEMU and see it live through its first seconds."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ('qemu.pid', 'qmp.sock', 'qga.sock'):
            (self.folder / name).unlink(missing_ok=True)
        log = self.folder / 'qemu.log'
        try:
            with open(log, 'wb') as out:
                self._child = subprocess.Popen(machine.argv, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out,
                                               stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as e:
            raise StartError(f'cannot run {machine.argv[0]}: {e.strerror}. Install qemu-system-x86') from e
        end = time.monotonic() + SETTLE_SECONDS
        while time.monotonic() < end:
            await asyncio.sleep(0.1)
            code = self._child.poll()
            if code is not None:
                self._child = None
                raise StartError(f'start failed: QEMU exited with code {code}: {tail(log) or "it said nothing"}')
        return self._child.pid

    async def wait_gone(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while self.pid() is not None:
            if time.monotonic() >= end:
                return False
            await asyncio.sleep(0.2)
        return True

    async def terminate(self) -> None:
        """SIGTERM, then SIGKILL. The pid is looked up again before each signal."""
        for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            pid = self.pid()
            if pid is None:
                return
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                return
            if await self.wait_gone(patience):
                return
