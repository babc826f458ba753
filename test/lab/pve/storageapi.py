"""Storage with real files: volumes, snippets, free space, downloads."""

import asyncio
import hashlib
import os
import threading
import time
from pathlib import Path
from typing import Any

from aiohttp import web
from fakepve.model import FakeVm, Model, PveError, TaskError
from fakepve.routing import die, param_error, split_list
from fakepve.server import USER, ok, params

from . import download
from .settings import Settings
from .tasks import log, working_for
from .volumes import VolumeError, VolumeFiles, owner_of

SNIPPET_STORAGE = 'library-pve'
IMPORT_EXTENSIONS = ('.qcow2', '.raw', '.vmdk')


def cluster_storages() -> dict[str, dict[str, Any]]:
    """The storages of pve-sbx. The NFS server's address is this machine: nothing dials it."""
    nfs = {'type': 'nfs', 'server': '127.0.0.1', 'shared': 1, 'active': 1}
    return {
        'local': {'type': 'dir', 'path': '/var/lib/vz', 'content': 'iso,vztmpl,backup', 'active': 1},
        'local-lvm': {'type': 'lvmthin', 'vgname': 'pve', 'thinpool': 'data', 'content': 'images,rootdir',
                      'active': 1},
        'library-pve': {**nfs, 'export': '/library-pve', 'path': '/mnt/pve/library-pve',
                        'content': 'import,iso,snippets,vztmpl'},
        'backups-pve-sbx': {**nfs, 'export': '/backups-pve-sbx', 'path': '/mnt/pve/backups-pve-sbx',
                            'content': 'backup'},
    }


class LabStorage(Model):
    """Mixin of LabPve; the methods with a leading underscore replace fakepve's."""

    files: VolumeFiles
    settings: Settings
    stopping: threading.Event
    tracked: set[tuple[str, str]]

    def _volumes(self, name: str) -> dict[str, Any]:
        out: dict[str, Any] = super()._volumes(name)
        if name == SNIPPET_STORAGE:
            # Snippets reach a node by file, not by its API: the folder is read each time.
            for file in self.snippet_files():
                stat = file.stat()
                out['snippets/' + file.name] = {'content': 'snippets', 'format': 'snippet', 'size': stat.st_size,
                                                'ctime': int(stat.st_mtime)}
        return out

    def snippet_files(self) -> list[Path]:
        try:
            return sorted(f for f in self.settings.snippets.iterdir() if f.is_file())
        except OSError:
            return []

    def snippet_text(self, volid: str) -> str:
        """The text of a snippet volume, or the error that PVE gives at a start without it."""
        sid, _, name = volid.partition(':')
        if not name.startswith('snippets/') or '/' in name[9:] or sid not in self.storages:
            raise TaskError(f'{volid} is not in the snippets directory')
        file = self.settings.snippets / name[9:]
        try:
            if sid != SNIPPET_STORAGE:
                raise FileNotFoundError
            return file.read_text(encoding='utf-8')
        except OSError as e:
            base = self.storages[sid].get('path', '/mnt/pve/' + sid)
            raise TaskError(f"can't open '{base}/{name}' - {e.strerror or 'No such file or directory'} "
                            f'(the lab looks in {self.settings.snippets})') from e

    def _space(self, store: dict[str, Any]) -> tuple[int, int, int]:
        free = self.files.free_bytes()
        used = 0
        for sid, candidate in self.storages.items():
            if candidate is store:
                for name in store.get('volumes', {}):
                    file = self.files.path(sid, name)
                    used += file.stat().st_blocks * 512 if file.exists() else 0
        return free + used, used, free

    # --------------------------------------------------------------- volumes

    def _qm_alloc(self, sid: str, vmid: int, fmt: str | None, size: int, linked_from: Any = None) -> tuple[str, str]:
        volid, fmt = super()._qm_alloc(sid, vmid, fmt, size, linked_from)
        name = volid.partition(':')[2]
        try:
            self.files.create(sid, name, size)
        except VolumeError as e:
            self.storages[sid]['volumes'].pop(name)
            raise die(str(e)) from e
        self._note_made(vmid, sid, name)
        return volid, fmt

    def _note_made(self, vmid: int, sid: str, name: str) -> None:
        self.tracked.add((sid, name))
        vm = self.vm(vmid)
        if isinstance(vm, FakeVm) and vm.lock == 'create':
            # Kept with the VM until it is complete, see Persistence.restore_state.
            vm.made = [*getattr(vm, 'made', []), [sid, name]]

    def _qm_free(self, volid: str) -> None:
        owner, worker = owner_of(volid.partition(':')[2]), working_for.get()
        if worker is not None and owner is not None and owner != worker:
            # PVE::QemuServer::destroy_vm: a volume of another VM stays.
            log(f"volume '{volid}' is owned by VM {owner}, not by VM {worker} - keeping it")
            return
        super()._qm_free(volid)

    async def _content_create(self, v: dict[str, Any], user: str) -> str:
        volid: str = await super()._content_create(v, user)
        sid, _, name = volid.partition(':')
        size = int(self.storages[sid]['volumes'][name]['size'])
        try:
            self.files.create(sid, name, size)
        except VolumeError as e:
            self.storages[sid]['volumes'].pop(name)
            raise die(str(e)) from e
        self.tracked.add((sid, name))
        return volid

    async def _content_delete(self, v: dict[str, Any], user: str) -> Any:
        sid, name, volid, *_ = self._volume_target(v)
        for vm in self.vms:
            for key, value in vm.config.items():
                if vm.status == 'running' and str(value).split(',')[0] == volid:
                    raise die(f"volume '{volid}' is in use by VM {vm.vmid} ({key}), which is running")
        if name.startswith('snippets/') and sid == SNIPPET_STORAGE and '/' not in name[9:]:
            (self.settings.snippets / name[9:]).unlink(missing_ok=True)
        return await super()._content_delete(v, user)

    async def _upload(self, request: web.Request) -> web.Response:
        raise PveError(501, "the lab's PVE does not take uploads; use download-url with the lab's image server")

    # -------------------------------------------------------------- download

    async def url_metadata(self, v: dict[str, Any], user: str) -> dict[str, Any]:
        verify = str(v.get('verify-certificates', 1)) not in ('0', 'False')
        try:
            return await asyncio.to_thread(download.metadata, v['url'], verify)
        except download.DownloadError as e:
            raise die(f"invalid server response: '{e}'") from e

    async def _download_url(self, request: web.Request) -> web.Response:
        sid, store = self._file_storage(request, 'download')
        user = request[USER]
        p = self._verify(request, await params(request))
        self._need_file_storage(store, "can't upload to storage type '{0}', not a file based storage!")
        content, name = p['content'], p['filename']
        if content not in split_list(store.get('content')):
            raise die(f"storage '{sid}' is not configured for content-type '{content}'")
        extensions = {'import': IMPORT_EXTENSIONS, 'iso': ('.iso', '.img')}.get(content)
        if '/' in name or name.startswith('.') or (extensions and not name.endswith(extensions)):
            raise param_error(filename='invalid filename or wrong extension')
        if p.get('compression'):
            raise PveError(501, "the lab's PVE does not decompress downloads")
        node = request.match_info['node']
        return ok(await self.task(node, 'download', name, user, lambda: self._download(sid, content, name, p)))

    async def _download(self, sid: str, content: str, name: str, p: dict[str, Any]) -> str:
        volname = f'{content}/{name}'
        target = self.files.path(sid, volname)
        shown = self._volume_path(sid, volname, content)
        algorithm, expected = p.get('checksum-algorithm'), str(p.get('checksum') or '').lower()
        if target.exists():
            if not algorithm:
                raise TaskError(f"refusing to override existing file '{shown}'")
            got = await asyncio.to_thread(download.checksum, target, algorithm)
            if got != expected:
                raise TaskError(f"mismatch (got '{got}' != expect '{expected}'), aborting: "
                                f"the file '{shown}' exists. Delete it, or use another file name")
            self._register(sid, volname, content, target)
            return 'OK, got correct file already, no need to download'
        log(f"downloading {p['url']} to {shown}")
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f'.{name}.{hashlib.sha1(os.urandom(8)).hexdigest()[:8]}.part')
        try:
            await asyncio.to_thread(
                download.fetch, p['url'], partial, str(p.get('verify-certificates', 1)) not in ('0', 'False'),
                lambda size: self.files.need_free(sid, size), log, self.stopping.is_set)
            if algorithm:
                log('verifying checksum...')
                got = await asyncio.to_thread(download.checksum, partial, algorithm)
                if got != expected:
                    raise TaskError(f"checksum mismatch: got '{got}' != expect '{expected}'")
            os.replace(partial, target)
        except download.DownloadError as e:
            raise TaskError(f'download failed: {e}') from e
        finally:
            partial.unlink(missing_ok=True)
        self._register(sid, volname, content, target)
        return f"download of '{p['url']}' to '{shown}' finished"

    def _register(self, sid: str, volname: str, content: str, target: Path) -> None:
        self.tracked.add((sid, volname))
        self.storages[sid].setdefault('volumes', {})[volname] = {
            'content': content, 'size': target.stat().st_size, 'ctime': int(time.time()),
            'format': 'iso' if content == 'iso' else target.suffix.lstrip('.')}
