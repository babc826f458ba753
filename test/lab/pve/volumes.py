"""Volumes as files: sparse raw disks and downloaded images under volumes/<storage>/."""

import asyncio
import contextlib
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

OWNER = re.compile(r'^(?:.*/)?(?:vm|base)-(\d+)-')


class VolumeError(Exception):
    """A volume cannot be made, read or changed."""


def owner_of(volname: str) -> int | None:
    """The VMID that owns a volume: vm-211-disk-0 belongs to 211, whoever has it attached."""
    found = OWNER.match(volname)
    return int(found.group(1)) if found else None


class VolumeFiles:
    """The files behind the storages."""

    def __init__(self, root: Path):
        self.root = root

    def path(self, storage: str, volname: str) -> Path:
        """The file of a volume; it may not exist."""
        path = (self.root / storage / volname)
        if '..' in path.parts or '/' in storage:
            raise VolumeError(f"unable to parse volume ID '{storage}:{volname}'")
        return path

    def create(self, storage: str, volname: str, size: int) -> None:
        """A sparse raw file; one left behind under this name is emptied."""
        path = self.path(storage, volname)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, 'wb') as out:
                out.truncate(size)
        except OSError as e:
            raise VolumeError(f"unable to create image '{storage}:{volname}' ({path}): {e.strerror}") from e

    def grow(self, storage: str, volname: str, size: int) -> None:
        path = self.path(storage, volname)
        try:
            if size > path.stat().st_size:
                os.truncate(path, size)
        except OSError as e:
            raise VolumeError(f"unable to resize '{storage}:{volname}' ({path}): {e.strerror}") from e

    def remove(self, storage: str, volname: str) -> None:
        self.path(storage, volname).unlink(missing_ok=True)

    def free_bytes(self) -> int:
        return shutil.disk_usage(self.root).free

    def need_free(self, storage: str, size: int) -> None:
        free = self.free_bytes()
        if size > free:
            raise VolumeError(f"unable to write to storage '{storage}': No space left on device: {size} bytes are "
                              f'needed, {free} are free at {self.root}. Free some space there and try again')


async def run(argv: list[str], line: Callable[[str], None] | None = None) -> None:
    """Run a command to its end; VolumeError with its last words when it fails. Killed when cancelled."""
    process = await asyncio.create_subprocess_exec(
        *argv, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        # debugfs is an administrator's tool: not on the PATH of other users.
        env={**os.environ, 'PATH': os.environ.get('PATH', '') + ':/usr/sbin:/sbin'})
    said = ''
    assert process.stdout is not None
    try:
        while chunk := await process.stdout.read(4096):
            text = chunk.decode(errors='replace')
            said = (said + text)[-2000:]
            if line:
                for part in re.split(r'[\r\n]+', text):
                    line(part)
        code = await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
    if code:
        raise VolumeError(f'{argv[0]} failed: exit code {code}: {said.strip()}')


async def image_size(path: Path, fmt: str) -> tuple[int, int]:
    """(virtual size, bytes used) of an image."""
    process = await asyncio.create_subprocess_exec(
        'qemu-img', 'info', '--output=json', '-f', fmt, str(path),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    out, err = await process.communicate()
    if process.returncode:
        raise VolumeError(f'failed to query file information with qemu-img: {err.decode(errors="replace").strip()}')
    info = json.loads(out)
    return int(info['virtual-size']), int(info.get('actual-size') or 0)


async def convert(source: Path, fmt: str, target: Path, log: Callable[[str], None]) -> None:
    """Copy an image into an existing raw file of at least its size, keeping it sparse."""
    done = -10.0

    def progress(text: str) -> None:
        nonlocal done
        found = re.search(r'\((\d+\.\d+)/100%\)', text)
        if found and float(found.group(1)) >= done + 10:
            done = float(found.group(1))
            log(f'transferred {done:.0f}%')
    # -n: the target exists already, empty: so its zeroes need not be written.
    await run(['qemu-img', 'convert', '-p', '-n', '--target-is-zero', '-f', fmt, '-O', 'raw', '-t', 'unsafe',
               str(source), str(target)], progress)
