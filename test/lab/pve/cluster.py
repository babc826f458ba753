"""LabPve: fakepve's API for the pve-sbx cluster, with what must be real behind it."""

import asyncio
import hmac
import json
import re
import secrets
import threading
from collections.abc import Coroutine
from typing import Any

from aiohttp import web
from fakepve import FakePve
from fakepve.model import PveError
from fakepve.server import FORMATS

from .agentapi import LabAgent
from .disks import LabDisks
from .persistence import Persistence
from .power import LabPower
from .settings import Settings
from .state import StateDir
from .storageapi import LabStorage, cluster_storages
from .tasks import LabTasks
from .volumes import VolumeFiles

NODES = ('pve-sbx-1', 'pve-sbx-2', 'pve-sbx-3')
VM = '/nodes/{node}/qemu/{vmid}'
# What fakepve would report as done without doing it, where a client would believe that disks moved or were saved.
REFUSED = {f'{VM}/{name}' for name in ('migrate', 'move_disk', 'remote_migrate', 'mtunnel', 'unlink')} | {
    '/nodes/{node}/vzdump'}


class LabPve(LabAgent, LabPower, LabDisks, LabStorage, Persistence, LabTasks, FakePve):
    """The lab's cluster."""

    def __init__(self, settings: Settings, state: StateDir, token: tuple[str, str]):
        # The token is the way in: the password of root@pam is known to nobody.
        super().__init__(user='root@pam', password=secrets.token_hex(32), host=settings.host, port=settings.port)
        self.settings, self.state = settings, state
        self.files = VolumeFiles(settings.state / 'volumes')
        self.stopping = threading.Event()
        self.tracked = set()
        self._machines = {}
        self._imports: dict[int, list[Any]] = {}
        self._spawned: set[asyncio.Task[Any]] = set()
        self.time_scale = 1.0  # PVE's seconds are seconds, and tasks run beside the requests
        self.cluster_name = 'pve-sbx'
        self.nodes = {name: {'online': True} for name in NODES}
        self.storages = {sid: {**store, 'files': set(), 'volumes': {}} for sid, store in cluster_storages().items()}
        self.apitokens = {token[0]: token[1]}
        self.to_start: list[int] = []
        data = state.load()
        if data:
            self.restore_state(data)
            self.to_start = [vm.vmid for vm in self.vms
                             if vm.status == 'running' or str(vm.config.get('onboot', 0)) == '1']
        self.refresh()
        self.save()

    # ---------------------------------------------------------------- routes

    def _routes_lab(self) -> list[tuple[str, str, Any]]:
        return [('PUT', VM + '/resize', self.resize),
                ('GET', '/nodes/{node}/query-url-metadata', self.url_metadata)]

    def _build_app(self) -> web.Application:
        app: web.Application = super()._build_app()
        app.middlewares.append(self._lab_middleware)
        for prefix in FORMATS:
            # PVE takes paths with a slash at the end; the provider sends its DELETE so.
            app.router.add_delete(prefix + VM + '/', self._stateful_handler(VM, self._qm_destroy))
        return app

    @web.middleware
    async def _lab_middleware(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.refresh()
        try:
            response: web.StreamResponse = await handler(request)
            return response
        finally:
            self.save()

    async def synthesise(self, match: Any, method: str, info: Any, user: Any, values: Any) -> Any:
        if method != 'GET' and match.template in REFUSED:
            raise PveError(501, f"the lab's PVE does not carry out {method} {match.template}")
        return _loopback(await super().synthesise(match, method, info, user, values))

    async def _cluster_status(self, request: web.Request) -> web.Response:
        response = await super()._cluster_status(request)
        return web.json_response(_loopback(json.loads(response.text)))

    def _authenticate(self, request: web.Request) -> Any:
        auth = request.headers.get('Authorization', '')
        if auth.startswith('PVEAPIToken='):
            name, _, given = auth.removeprefix('PVEAPIToken=').partition('=')
            user, _, tokenid = name.partition('!')
            expected = self.apitokens.get(name)
            if not any(known.partition('!')[0] == user for known in self.apitokens):
                raise PveError(401, f"no such user ('{user}')")
            if expected is None:
                raise PveError(401, f"no such token '{tokenid}' for user '{user}'")
            if not hmac.compare_digest(expected.encode(), given.encode()):
                raise PveError(401, 'invalid token value!')
            return name
        return super()._authenticate(request)

    def _vm_status(self, vm: Any, listing: bool = False) -> dict[str, Any]:
        data: dict[str, Any] = super()._vm_status(vm, listing)
        pid = self.process(vm).pid()
        data.pop('pid', None)
        if pid is not None:
            data['pid'] = pid
        return data

    async def _unsupported(self, v: Any, user: Any) -> Any:
        raise PveError(501, "the lab's PVE does not take snapshots, clones or templates")

    _qm_snapshot = _qm_rollback = _qm_clone = _qm_template = _unsupported

    # ------------------------------------------------------------- lifecycle

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run something beside the requests, and keep it from being collected."""
        task = asyncio.ensure_future(work)
        self._spawned.add(task)
        task.add_done_callback(self._spawned.discard)

    async def finished(self, upid: str) -> None:
        while self.tasks[upid]['status'] == 'running':
            await asyncio.sleep(0.1)

    async def start_guests(self) -> None:
        """What a node does when it comes up: start the VMs that should run and do not."""
        for vmid in self.to_start:
            vm = self.vm(vmid)
            if vm is not None and vm.status != 'running' and not vm.template:
                await self._do_start(vm, 'root@pam', {})
        self.to_start = []


def _loopback(data: Any) -> Any:
    """fakepve's nodes have documentation addresses; a client that dials them must stay on this machine."""
    if isinstance(data, dict):
        return {key: _loopback(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_loopback(value) for value in data]
    if isinstance(data, str):
        return re.sub(r'\b192\.0\.2\.(\d+)', r'127.0.0.\1', data)
    return data
