"""A LabPve with fakebin's programs in a temporary directory, and a client of it."""

import json
import logging
import os
import socket
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import aiohttp

from pve import fakebin, process
from pve.cluster import LabPve
from pve.imageserver import serve_images
from pve.settings import Settings
from pve.state import StateDir

# Failures are expected here, and asyncio reports each slow step of a busy machine.
logging.getLogger('asyncio').setLevel(logging.ERROR)
logging.getLogger('pve').setLevel(logging.CRITICAL)
NODE = '/nodes/pve-sbx-1'
QEMU = NODE + '/qemu'
TOKEN = ('hermes@pve!deploy', '11111111-2222-3333-4444-555555555555')
GUEST = {'vmid': 210, 'name': 'vm-hermes', 'agent': '1', 'scsihw': 'virtio-scsi-single', 'boot': 'order=scsi0',
         'scsi0': 'local-lvm:0,import-from=library-pve:import/lab.qcow2', 'ide2': 'local-lvm:cloudinit',
         'scsi1': 'local-lvm:vm-211-disk-0,serial=hermes-data', 'net0': 'virtio,bridge=vmbr0,tag=21',
         'ipconfig0': 'ip=10.32.21.110/24,gw=10.32.21.1'}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return int(probe.getsockname()[1])


class LabCase(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = Path(place.name)
        (self.root / 'images').mkdir()
        (self.root / 'images' / 'lab.qcow2').write_bytes(b'image')
        (self.root / 'snippets').mkdir()
        for patch in (mock.patch.dict(os.environ, PATH=fakebin.install(self.root / 'bin')),
                      mock.patch.object(process, 'SETTLE_SECONDS', 0.4)):
            patch.start()
            self.addCleanup(patch.stop)
        self.image_port = free_port()
        self.images = await serve_images(self.root / 'images', '127.0.0.1', self.image_port)
        self.addAsyncCleanup(self.images.cleanup)
        self.settings = Settings(
            state=self.root / 'state', images=self.root / 'images', snippets=self.root / 'snippets',
            host='127.0.0.1', port=0, image_port=self.image_port, ssh_port=free_port(), registry_port=1, accel='tcg')
        self.client = aiohttp.ClientSession(headers={'Authorization': f'PVEAPIToken={TOKEN[0]}={TOKEN[1]}'})
        self.addAsyncCleanup(self.client.close)
        self.addAsyncCleanup(self.close)
        await self.open()

    async def open(self) -> None:
        """A server on the state directory (again)."""
        from pve.certificate import certificate
        self.state = StateDir(self.settings.state)
        self.state.acquire()
        self.pve = LabPve(self.settings, self.state, TOKEN)
        self.pve.port = 0
        await self.pve.start(*certificate(self.settings.state, '127.0.0.1'))

    async def close(self, end_guests: bool = True) -> None:
        """Stop the server: as SIGTERM does, when end_guests is False."""
        await self.pve.stop()
        if end_guests:
            for vm in self.pve.vms:
                await self.pve.process(vm).terminate()
        self.pve.save()
        self.state.release()

    async def call(self, method: str, path: str, **data: Any) -> tuple[int, Any]:
        """(status, data) or (status, message)."""
        where = {'params': data} if method in ('GET', 'DELETE') else {'data': data}
        async with self.client.request(method, f'{self.pve.url}/api2/json{path}', ssl=False, **where) as answer:
            body = json.loads(await answer.text())
            return answer.status, body['data'] if answer.status == 200 else body['message'].strip()

    async def task(self, method: str, path: str, **data: Any) -> str:
        """The exit status of the task that a request starts."""
        status, upid = await self.call(method, path, **data)
        self.assertEqual(status, 200, upid)
        await self.pve.finished(upid)
        return str(self.pve.tasks[upid]['exitstatus'])

    async def download(self, **more: Any) -> str:
        return await self.task('POST', NODE + '/storage/library-pve/download-url', **{
            'url': f'http://127.0.0.1:{self.image_port}/lab.qcow2', 'content': 'import', 'filename': 'lab.qcow2',
            **more})

    async def holder_and_guest(self, **more: Any) -> None:
        self.assertEqual(await self.download(), 'OK')
        self.assertEqual(await self.task('POST', QEMU, vmid=211, name='data', scsi0='local-lvm:1', protection=1), 'OK')
        self.assertEqual(await self.task('POST', QEMU, **{**GUEST, **more}), 'OK')

    def volume(self, name: str, storage: str = 'local-lvm') -> Path:
        return self.settings.state / 'volumes' / storage / name
