"""Serve the lab's Proxmox VE until SIGTERM. VMs go on running, as on a node whose API restarts."""

import argparse
import asyncio
import contextlib
import errno
import logging
import signal
import sys
from pathlib import Path

from aiohttp import web

from .certificate import certificate
from .cluster import LabPve
from .imageserver import serve_images
from .settings import Settings, SetupError, read_token
from .state import StateDir


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='python -m pve', description=__doc__)
    parser.add_argument('--state', type=Path, required=True, help='directory for everything that lasts')
    parser.add_argument('--images', type=Path, required=True, help='directory served on the image port')
    parser.add_argument('--snippets', type=Path, help='directory whose files are the snippets of library-pve '
                                                      '(default: STATE/snippets)')
    parser.add_argument('--token-file', type=Path, required=True, help='file with one line: user@realm!id=uuid')
    parser.add_argument('--host', default='127.0.0.1')
    parser.add_argument('--port', type=int, required=True, help='the API (HTTPS)')
    parser.add_argument('--image-port', type=int, required=True, help='the images (HTTP)')
    parser.add_argument('--ssh-port', type=int, required=True, help="forwarded to the guest's port 22")
    parser.add_argument('--registry-port', type=int, required=True, help='the registry, 10.32.21.5:5000 for guests')
    parser.add_argument('--accel', choices=('tcg', 'kvm'), default='tcg')
    parser.add_argument('--scsi-identity', choices=('serial', 'pve9'), default='serial',
                        help='what udev takes for a SCSI disk: its serial, or its slot as PVE 9 does')
    return parser.parse_args(argv)


def _cannot_listen(error: OSError, host: str, port: int, option: str) -> SetupError:
    if error.errno == errno.EADDRINUSE:
        return SetupError(f'the port {host}:{port} ({option}) is in use. Find the program with: '
                          f'ss -ltnp "sport = :{port}"; stop it, or choose another port')
    return SetupError(f'cannot listen on {host}:{port} ({option}): {error.strerror}. Choose another address or port')


async def serve(settings: Settings, state: StateDir, token: tuple[str, str]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    images: web.AppRunner | None = None
    pve = LabPve(settings, state, token)
    try:
        try:
            images = await serve_images(settings.images, settings.host, settings.image_port)
        except OSError as e:
            raise _cannot_listen(e, settings.host, settings.image_port, '--image-port') from e
        try:
            await pve.start(*certificate(settings.state, settings.host))
        except OSError as e:
            raise _cannot_listen(e, settings.host, settings.port, '--port') from e
        print(f'ready {pve.url}', flush=True)
        await pve.start_guests()
        await stop.wait()
        logging.info('stopping; running VMs go on')
    finally:
        pve.stopping.set()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(pve.stop(), 10)
        if images:
            await images.cleanup()
        await pve.drain(5)
        pve.save()


def main() -> int:
    args = arguments()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format='%(asctime)s %(levelname)s %(message)s')
    logging.getLogger('aiohttp.access').setLevel(logging.WARNING)
    state = StateDir(args.state.absolute())
    try:
        token = read_token(args.token_file)
        if not args.images.is_dir():
            raise SetupError(f'the images directory {args.images} does not exist. Make it, or give another --images')
        state.acquire()
        snippets = (args.snippets or args.state / 'snippets').absolute()
        snippets.mkdir(parents=True, exist_ok=True)
        settings = Settings(
            state=state.path, images=args.images.absolute(), snippets=snippets, host=args.host, port=args.port,
            image_port=args.image_port, ssh_port=args.ssh_port, registry_port=args.registry_port, accel=args.accel,
            scsi_identity=args.scsi_identity)
        asyncio.run(serve(settings, state, token))
    except SetupError as e:
        print(f'error: {e}', file=sys.stderr)
        return 1
    finally:
        state.release()
    return 0


if __name__ == '__main__':
    sys.exit(main())
