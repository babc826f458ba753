"""VM disks and configuration: create with import, attach, detach, resize, destroy."""

import contextlib
import re
from typing import Any

from aiohttp import web
from fakepve.lxc import format_size
from fakepve.model import FakeVm, Model, PveError, TaskError
from fakepve.qemu import DRIVE_KEY, NEW_DISK, drives_of, is_cdrom, join_drive, split_drive, volume_ref
from fakepve.routing import die, param_error, split_list
from fakepve.server import ok, params

from .sockets import CommandError, SocketError
from .tasks import log, working_for
from .volumes import VolumeError, VolumeFiles, convert, image_size, owner_of

CLOUDINIT_BYTES = 4 * 1024 ** 2
UNITS = {'': 1, 'K': 1024, 'M': 1024 ** 2, 'G': 1024 ** 3, 'T': 1024 ** 4}


class LabDisks(Model):
    """Mixin of LabPve; the methods with a leading underscore replace fakepve's."""

    files: VolumeFiles

    # --------------------------------------------------------------- a drive

    def _qm_check_drive(self, user: str, vmid: int, pool: Any, key: str, value: str, default: Any) -> None:
        super()._qm_check_drive(user, vmid, pool, key, value, default)
        source = split_drive(value)[1].get('import-from')
        if source is None:
            return
        sid, name = volume_ref(source)
        if sid is None:
            raise param_error(**{key: 'Only root can pass arbitrary filesystem paths'})
        kind = self._parse_volname(self._store(sid), name)[0]
        if kind not in ('images', 'import') or kind not in split_list(self.storages[sid].get('content')):
            raise param_error(**{key: f"import-from: '{source}' is not a disk image or an import volume"})

    def _qm_new_drive(self, vmid: int, key: str, value: str, default: Any) -> tuple[str, list[str]]:
        volume, props = split_drive(value)
        props = dict(props)
        if volume.endswith(':cloudinit'):
            # Its name is fixed on a node, and it is used again when it exists.
            sid, name = volume_ref(volume)[0], f'vm-{vmid}-cloudinit'
            made = [] if name in self._volumes(sid) else [f'{sid}:{name}']
            volumes = self._store(sid).setdefault('volumes', {})
            volumes.setdefault(name, {'content': 'images', 'format': 'raw', 'size': CLOUDINIT_BYTES, 'vmid': vmid})
            self._note_made(vmid, sid, name)
            props.pop('format', None)
            return join_drive(f'{sid}:{name}', {**props, 'media': 'cdrom'}), made
        source = props.pop('import-from', None)
        if source is None:
            return super()._qm_new_drive(vmid, key, value, default)
        sid, name = volume_ref(source)
        path, vol = self.files.path(sid, name), self._volumes(sid).get(name)
        if vol is None or not path.exists():
            raise die(f"volume '{source}' does not exist")
        target_sid = volume_ref(volume)[0] or default
        volid, _ = self._qm_alloc(target_sid, vmid, None, 0)
        self._imports.setdefault(vmid, []).append((key, volid, source, path, vol.get('format') or 'raw'))
        props.pop('format', None)
        return join_drive(volid, props), [volid]

    async def ceph_io(self, vm: Any, keys: Any = None) -> None:
        # fakepve awaits this where a storage works on a VM's new disks: the place to copy imported images.
        await super().ceph_io(vm, keys)
        for key, volid, source, path, fmt in self._imports.pop(vm.vmid, []):
            sid, name = volume_ref(volid)
            try:
                size, used = await image_size(path, fmt)
                self.files.need_free(sid, used)
                self.files.grow(sid, name, size)
                self.storages[sid]['volumes'][name]['size'] = size
                log(f'{key}: importing disk {source!r} as {volid!r} ({format_size(size)})')
                await convert(path, fmt, self.files.path(sid, name), log)
            except VolumeError as e:
                raise TaskError(str(e)) from e
            for config in (vm.config, vm.pending):
                if config.get(key) and str(config[key]).startswith(volid):
                    volume, props = split_drive(config[key])
                    config[key] = join_drive(volume, {**props, 'size': format_size(size)})

    # ------------------------------------------------------- create, destroy

    async def _qm_create(self, v: dict[str, Any], user: str) -> str:
        v = dict(v)
        start = v.pop('start', None)
        self._imports.pop(int(v['vmid']), None)
        upid: str = await super()._qm_create(v, user)
        if start:
            self.spawn(self._start_after(upid, int(v['vmid']), user))
        return upid

    async def _start_after(self, upid: str, vmid: int, user: str) -> None:
        await self.finished(upid)
        vm = self.vm(vmid)
        if vm is not None and self.tasks[upid].get('exitstatus') == 'OK':
            await self._do_start(vm, user, {})

    # ---------------------------------------------------------------- config

    async def _config_get(self, request: web.Request) -> web.Response:
        # Without current=1, PVE shows the config with its pending changes applied.
        vm = self._vm(request, 'VM.Audit')
        config = dict(vm.config)
        if str((await params(request)).get('current', '0')) not in ('1', 'true'):
            for key, value in vm.pending.items():
                config.pop(key, None) if value is None else config.update({key: value})
        if 'memory' in config:
            config['memory'] = str(config['memory'])
        if 'cipassword' in config:
            config['cipassword'] = '**********'
        return ok({**config, 'digest': vm.digest()})

    def _used_volumes(self, vm: Any) -> dict[str, str]:
        """The VM's own volumes in its config and pending config, with the key that names each."""
        out: dict[str, str] = {}
        for config in (vm.pending, vm.config):
            for key, value in config.items():
                if value and (DRIVE_KEY.match(key) or re.fullmatch(r'unused\d+', key)):
                    volume = split_drive(str(value))[0]
                    if owner_of(volume.partition(':')[2]) == vm.vmid:
                        out[volume] = key
        return out

    def settle_disks(self, vm: Any, before: dict[str, str]) -> None:
        """What a config change let go of: a disk becomes unusedN, a cloud-init drive or an unusedN is freed."""
        now = self._used_volumes(vm)
        for volume, key in before.items():
            if volume in now:
                continue
            if volume.endswith('-cloudinit') or key.startswith('unused'):
                token = working_for.set(vm.vmid)
                self._qm_free(volume)
                working_for.reset(token)
            else:
                number = next(n for n in range(256) if f'unused{n}' not in vm.config)
                vm.config[f'unused{number}'] = volume

    async def _apply_config(self, vm: Any, user: str, p: dict[str, Any]) -> None:
        p, made = dict(p), []
        before = self._used_volumes(vm)
        self._check_lock(vm)
        deletes = split_list(p.get('delete'))
        gone = [k for k in deletes if re.fullmatch(r'unused\d+', k)]
        unused = {k: vm.config.pop(k) for k in gone if k in vm.config}  # at once, also while the VM runs
        rest = ','.join(k for k in deletes if k not in gone)
        p.update(delete=rest) if rest else p.pop('delete', None)
        # The digest of the request is of the config before that.
        digest = p.pop('digest', None)
        try:
            if digest and digest != FakeVm.digest(_with(vm, unused)):
                raise PveError(500, 'checksum mismatch (file change by other user?)')
            for key in sorted(k for k in p if DRIVE_KEY.match(k)):
                self._qm_check_drive(user, vm.vmid, None, key, str(p[key]), None)
                p[key], volids = self._qm_new_drive(vm.vmid, key, str(p[key]), None)
                made += volids
            if made and self._imports.get(vm.vmid):
                vm_view = _with(vm, {})
                vm_view.config.update({k: p[k] for k in p if DRIVE_KEY.match(k)})
                await self.ceph_io(vm_view)
                p.update({k: vm_view.config[k] for k in p if DRIVE_KEY.match(k)})
            await super()._apply_config(vm, user, p)
        except BaseException:
            vm.config.update(unused)
            self._imports.pop(vm.vmid, None)
            for volid in made:
                super()._qm_free(volid)
            raise
        vm.pending = {k: x for k, x in vm.pending.items()
                      if (x is None and k in vm.config) or (x is not None and str(x) != str(vm.config.get(k)))}
        self.settle_disks(vm, before)

    # ---------------------------------------------------------------- resize

    async def resize(self, v: dict[str, Any], user: str) -> str:
        vm, key = self.find(v['node'], v['vmid']), v['disk']

        def check() -> tuple[str, dict[str, str]]:
            if v.get('digest') and v['digest'] != vm.digest():
                raise die('checksum mismatch (file change by other user?)')
            if not v.get('skiplock'):
                self._check_lock(vm)
            if key not in vm.config:
                raise die(f"disk '{key}' does not exist")
            volume, props = split_drive(vm.config[key])
            if is_cdrom(volume, props):
                raise die("you can't resize a cdrom")
            if volume_ref(volume)[0] is None:
                raise die(f"disk '{key}' has no associated volume")
            return volume, props
        check()

        async def body() -> None:
            volume, props = check()
            sid, name = volume_ref(volume)
            path = self.files.path(sid, name)
            if not path.exists():
                raise TaskError(f"Could not determine current size of volume '{volume}'")
            current = path.stat().st_size
            number, unit = re.fullmatch(r'\+?(\d+(?:\.\d+)?)([KMGT]?)', v['size']).groups()
            size = int(float(number) * UNITS[unit]) + (current if v['size'].startswith('+') else 0)
            size += -size % 512
            if size < current:
                raise TaskError('shrinking disks is not supported')
            self.files.grow(sid, name, size)
            if vm.status == 'running' and size > current:
                with contextlib.suppress(SocketError):
                    try:
                        await self.qmp(vm).command('block_resize', {'device': f'drive-{key}', 'size': size})
                    except CommandError as e:
                        raise TaskError(f'resize of {key}: {e}') from e
            self.storages[sid].setdefault('volumes', {}).get(name, {}).update(size=size)
            vm.config[key] = join_drive(volume, {**props, 'size': format_size(size)})
            vm.pending.pop(key, None)
        upid: str = await self.task(vm.node, 'resize', vm.vmid, user, body, vm=vm)
        return upid

    def volume_file(self, volume: str) -> Any:
        """The file of a drive's volume, None for an empty drive; TaskError when it is missing."""
        sid, name = volume_ref(volume)
        if sid is None:
            if volume in ('', 'none', 'cdrom'):
                return None
            raise TaskError(f"the lab attaches volumes only, not the path '{volume}'")
        path = self.files.path(sid, name)
        if not path.exists():
            raise TaskError(f"volume '{volume}' does not exist")
        return path

    def cloudinit_drive(self, config: dict[str, Any]) -> str | None:
        for _key, volume, _props in drives_of(config):
            if volume.endswith('-cloudinit'):
                return str(volume)
        return None


def _with(vm: Any, extra: dict[str, Any]) -> Any:
    """A copy of a VM for looking at, with more in its config."""
    copy = FakeVm(vm.vmid, vm.name, node=vm.node)
    copy.config, copy.pending, copy.snapshots = {**vm.config, **extra}, {}, vm.snapshots
    return copy
