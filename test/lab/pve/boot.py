"""The kernel and the initrd of a guest, read out of its boot disk.

This stands in for SeaBIOS and GRUB. The lab's image is one ext4 file system on the whole disk, labelled
`root`, as Debian lays it out: /vmlinuz and /initrd.img are links to files in /boot.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from .cloudinit import properties
from .volumes import VolumeError, run


def boot_disk(config: Mapping[str, str]) -> str | None:
    """The config key of the first disk in the boot order (cloud-init and CD drives have none)."""
    order = properties(config.get('boot') or '').get('order', '').split(';')
    for key in [*order, *sorted(k for k in config if re.fullmatch(r'(scsi|virtio|sata|ide)\d+', k))]:
        if key in config and re.fullmatch(r'(scsi|virtio|sata|ide)\d+', key) and 'media=cdrom' not in str(config[key]):
            return key
    return None


async def _debugfs(disk: Path, request: str) -> str:
    said: list[str] = []
    await run(['debugfs', '-R', request, str(disk)], said.append)
    return '\n'.join(said)


async def _extract(disk: Path, name: str, target: Path) -> Path:
    source = name
    for _ in range(4):
        found = re.search(r'Fast link dest: "([^"]+)"', await _debugfs(disk, f'stat {source}'))
        if not found:
            break
        source = '/' + found.group(1).lstrip('/')
    target.unlink(missing_ok=True)
    # debugfs splits its request at blanks; quotes keep a path with one together.
    said = await _debugfs(disk, f'dump {source} "{target}"')
    if not target.exists() or not target.stat().st_size:
        raise VolumeError(f"the boot disk {disk.name} has no {name}: {said.strip().splitlines()[-1] if said else ''}. "
                          "The lab starts disks that are one ext4 file system with /vmlinuz and /initrd.img; "
                          'import its own image')
    return target


async def kernel_of(disk: Path, folder: Path) -> tuple[Path, Path]:
    """Copies of the disk's kernel and initrd in the VM's folder, fresh at each start."""
    return (await _extract(disk, '/vmlinuz', folder / 'vmlinuz'),
            await _extract(disk, '/initrd.img', folder / 'initrd.img'))
