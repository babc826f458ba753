"""Stand-ins for QEMU's programs, for this folder's unit tests only: put on PATH, they boot nothing."""

import os
import sys
from pathlib import Path

QEMU = r'''
import json, os, socket, sys
if 'DIE' in os.environ.get('FAKE_QEMU', ''):
    print('qemu-system-x86_64: no such device'); sys.exit(1)
argv = sys.argv
open(argv[argv.index('-pidfile') + 1], 'w').write(str(os.getpid()))
server = socket.socket(socket.AF_UNIX); server.bind('qmp.sock'); server.listen()
while True:
    peer, _ = server.accept()
    stream = peer.makefile('rw')
    stream.write('{"QMP": {}}\n'); stream.flush()
    for line in stream:
        command = json.loads(line)
        open('qmp.log', 'a').write(line)
        stream.write('{"event": "X"}\n{"return": {}}\n'); stream.flush()
        if command['execute'] in ('quit', 'system_powerdown'):
            os._exit(0)
    peer.close()
'''
SCRIPTS = {
    'debugfs': '#!/bin/sh\ncase "$2" in dump*) echo kernel > "$(echo "$2" | cut -d\'"\' -f2)";; esac\n',
    'genisoimage': '#!/bin/sh\nwhile [ $# -gt 1 ]; do [ "$1" = -o ] && echo iso > "$2"; shift; done\n',
    'qemu-img': '#!/bin/sh\nif [ "$1" = info ]; then echo \'{"virtual-size": 1048576, "actual-size": 4}\'; exit; fi\n'
                'for last; do :; done\ncase "$*" in *broken*) echo "qemu-img: bad image"; exit 1;; esac\n'
                'printf data | dd of="$last" conv=notrunc status=none\n',
}


def install(folder: Path) -> str:
    """Write the programs into folder; returns the PATH that finds them first."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**SCRIPTS, 'qemu-system-x86_64': f'#!{sys.executable}\n{QEMU}'}.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return f'{folder}:{os.environ["PATH"]}'
