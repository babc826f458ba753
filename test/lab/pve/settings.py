"""What the command line says, read and checked once."""

import re
from dataclasses import dataclass
from pathlib import Path

TOKEN = re.compile(r'^([^@\s!=]+@[A-Za-z][\w.-]*![A-Za-z][\w.-]*)=([0-9A-Fa-f-]{36})$')


class SetupError(Exception):
    """The server cannot start; the message names the cause and the next step."""


@dataclass(frozen=True)
class Settings:
    """The lab's places and ports; every port is on the loopback address `host`."""

    state: Path
    images: Path
    snippets: Path
    host: str
    port: int
    image_port: int
    ssh_port: int
    registry_port: int
    accel: str
    # serial | pve9: how a SCSI disk names itself to the guest, see commandline.py.
    scsi_identity: str = 'serial'

    def vm_dir(self, vmid: int) -> Path:
        return self.state / 'vms' / str(vmid)


def read_token(path: Path) -> tuple[str, str]:
    """(token id, secret) of a file with the one line `user@realm!id=uuid`."""
    try:
        text = path.read_text(encoding='utf-8').strip()
    except OSError as e:
        raise SetupError(f'cannot read the token file {path}: {e.strerror}. '
                         'Create it with one line: user@realm!id=uuid') from e
    found = TOKEN.match(text)
    if not found:
        # The content is a secret: it is not shown.
        raise SetupError(f'the token file {path} does not hold one line of the form user@realm!id=uuid. '
                         'Write it again, e.g. hermes@pve!deploy=<output of uuidgen>')
    return found.group(1), found.group(2)
