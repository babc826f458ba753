"""What is kept of the cluster, and how it comes back. The volume tables decide which files exist."""

import asyncio
from typing import Any

from fakepve.model import Model

from .state import StateDir
from .volumes import VolumeFiles

VM_FIELDS = ('vmid', 'name', 'node', 'status', 'config', 'pending', 'template', 'lock', 'pool')
KEPT_TASKS = 100


class Persistence(Model):
    """Mixin of LabPve: cluster.json."""

    state: StateDir
    files: VolumeFiles
    _fw_state: dict[str, Any]
    # Volumes that have had a table entry since the last save, also those that came and went between two saves.
    tracked: set[tuple[str, str]]

    def _known_files(self) -> set[tuple[str, str]]:
        return {(sid, name) for sid, store in self.storages.items() for name in store.get('volumes', {})}

    def snapshot_state(self) -> dict[str, Any]:
        firewall = getattr(self, '_fw_state', None)
        if firewall:
            firewall = {**firewall, 'guests': {str(k): v for k, v in firewall['guests'].items()}}
        return {
            'vms': [{**{k: getattr(vm, k) for k in VM_FIELDS}, 'started_at': vm.started_at,
                     'ha_state': vm.ha_state, 'made': getattr(vm, 'made', [])} for vm in self.vms],
            'storages': {sid: {k: v for k, v in store.items() if k != 'files'}
                         for sid, store in self.storages.items()},
            'pools': {name: sorted(ids) for name, ids in self.pools.items()},
            'pool_info': {name: {**info, 'storage': sorted(info['storage'])} for name, info in self.pool_info.items()},
            'firewall': firewall,
            'tasks': [t for t in self.tasklog if t['status'] != 'running'][-KEPT_TASKS:],
        }

    def restore_state(self, data: dict[str, Any]) -> None:
        for sid, store in data['storages'].items():
            self.storages[sid] = {**store, 'files': set()}
        for sid in set(self.storages) - set(data['storages']):
            del self.storages[sid]
        self.pools = {name: set(ids) for name, ids in data['pools'].items()}
        self.pool_info = {name: {**info, 'storage': set(info['storage'])} for name, info in data['pool_info'].items()}
        if data.get('firewall'):
            self._fw_state = {**data['firewall'],
                              'guests': {int(k): v for k, v in data['firewall']['guests'].items()}}
        for record in data['tasks']:
            self.tasks[record['upid']] = record
            self.tasklog.append(record)
        for saved in data['vms']:
            if saved['lock'] == 'create':
                # The server ended in the middle of a create: the VM never was, and its disks go.
                for sid, name in saved['made']:
                    self.storages.get(sid, {}).get('volumes', {}).pop(name, None)
                    self.files.remove(sid, name)
                continue
            vm = self.add_vm(**{k: saved[k] for k in VM_FIELDS if k not in ('lock', 'name')},
                             name=saved['name'], lock=saved['lock'])
            if vm.lock == 'destroyed':
                # In the middle of a destroy: without the lock a second destroy finishes it.
                vm.lock = None
                vm.config.pop('lock', None)
            vm.config = dict(saved['config'])
            if vm.lock is None:
                vm.config.pop('lock', None)
            vm.started_at, vm.ha_state = saved['started_at'], saved['ha_state']
        self.tracked = self._known_files()

    def save(self) -> None:
        """Write cluster.json if anything changed, then remove the files of volumes that left their table."""
        self.state.save(self.snapshot_state())
        known = self._known_files()
        for sid, name in self.tracked - known:
            # A storage taken out of the configuration keeps its data, as on a node.
            if sid in self.storages:
                self.files.remove(sid, name)
        self.tracked = known

    async def drain(self, seconds: float) -> None:
        """Give running tasks a moment to end before the server does."""
        end = asyncio.get_running_loop().time() + seconds
        while any(t['status'] == 'running' for t in self.tasklog) and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.1)
