"""Power: a VM's QEMU process behind start, stop, shutdown, reboot, reset, suspend and resume."""

import asyncio
import contextlib
import time
from pathlib import Path
from typing import Any

from fakepve.model import Model, PveError, TaskError

from . import boot, cloudinit, commandline
from .process import QemuProcess, StartError, port_is_free, tail
from .settings import Settings
from .sockets import CommandError, GuestAgent, Qmp, SocketError
from .tasks import log
from .volumes import run

# PVE waits 60 s for a shutdown when the request does not say; a guest on an emulated processor takes longer.
SHUTDOWN_SECONDS = 180
MONITOR_SECONDS = 30


class LabPower(Model):
    """Mixin of LabPve; the methods with a leading underscore replace fakepve's."""

    settings: Settings
    _machines: dict[int, tuple[QemuProcess, Qmp, GuestAgent]]

    def _machine(self, vm: Any) -> tuple[QemuProcess, Qmp, GuestAgent]:
        if vm.vmid not in self._machines:
            folder = self.settings.vm_dir(vm.vmid)
            self._machines[vm.vmid] = (QemuProcess(folder), Qmp(folder), GuestAgent(folder))
        return self._machines[vm.vmid]

    def process(self, vm: Any) -> QemuProcess:
        return self._machine(vm)[0]

    def qmp(self, vm: Any) -> Qmp:
        return self._machine(vm)[1]

    def agent(self, vm: Any) -> GuestAgent:
        return self._machine(vm)[2]

    def refresh(self) -> None:
        """Set every VM's status to what its process says: a guest can power itself off."""
        for vm in self.vms:
            alive = self.process(vm).pid() is not None
            if alive and vm.status != 'running':
                self._mark(vm, 'running')
            elif not alive and vm.status == 'running':
                self._mark(vm, 'stopped')

    @staticmethod
    def _mark(vm: Any, status: str) -> None:
        vm.status = vm.qmpstatus = status
        vm.started_at = time.time() if status == 'running' else None

    # ----------------------------------------------------------------- start

    async def _write_cloudinit(self, vm: Any) -> None:
        """The cloud-init drive's content, made anew at each start as PVE does."""
        volume = self.cloudinit_drive(vm.config)
        if volume is None:
            return
        custom = {name: self.snippet_text(volid)
                  for name, volid in cloudinit.custom_volumes(vm.config).items()}
        folder: Path = self.settings.vm_dir(vm.vmid) / 'cloudinit'
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.iterdir():
            old.unlink()
        for name, text in cloudinit.render(vm.config, vm.vmid, custom).items():
            (folder / name).write_text(text, encoding='utf-8')
        sid, _, name = volume.partition(':')
        target = self.files.path(sid, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        log('generating cloud-init ISO')
        await run(['genisoimage', '-quiet', '-iso-level', '3', '-R', '-V', 'cidata', '-o', str(target), str(folder)])

    async def boot(self, vm: Any) -> None:
        """Start the VM's QEMU; TaskError, StartError or VolumeError say why not."""
        before = self._used_volumes(vm)
        vm.apply_pending()
        self.settle_disks(vm, before)
        folder = self.settings.vm_dir(vm.vmid)
        folder.mkdir(parents=True, exist_ok=True)
        key = boot.boot_disk(vm.config)
        if key is None:
            raise TaskError(f'VM {vm.vmid} has no disk to boot from')
        await self._write_cloudinit(vm)
        disk = self.volume_file(str(vm.config[key]).split(',', 1)[0].removeprefix('file='))
        kernel = await boot.kernel_of(disk, folder)
        machine = commandline.build(vm.config, vm.vmid, self.settings, kernel, self.volume_file)
        for note in machine.notes:
            log(note)
        host, port = self.settings.host, self.settings.ssh_port
        if machine.forwards_ssh and not port_is_free(host, port):
            raise TaskError(f'the port {host}:{port}, which forwards SSH to VM {vm.vmid}, is in use by another '
                            f'program or VM. Find it with: ss -ltnp "sport = :{port}"; stop it, or start the lab '
                            'with another --ssh-port')
        pid = await self.process(vm).start(machine)
        try:
            await self._await_monitor(vm)
            for nic in machine.links_down:
                await self.qmp(vm).command('set_link', {'name': nic, 'up': False})
        except (SocketError, CommandError) as e:
            # A NIC that should have no link must not run with one.
            await self.process(vm).terminate()
            raise StartError(f'start failed: {e}: {tail(folder / "qemu.log") or "QEMU said nothing"}') from e
        log(f'QEMU runs with pid {pid}; console: {folder / "console.log"}')
        self._mark(vm, 'running')

    async def _await_monitor(self, vm: Any) -> None:
        """On a busy machine QEMU opens its monitor late."""
        end = time.monotonic() + MONITOR_SECONDS
        while True:
            try:
                await self.qmp(vm).command('query-status')
                return
            except SocketError:
                if self.process(vm).pid() is None or time.monotonic() >= end:
                    raise
            await asyncio.sleep(0.2)

    async def _do_start(self, vm: Any, user: str, p: Any) -> str:
        async def body() -> None:
            if vm.template:
                raise TaskError("you can't start a vm if it's a template")
            if vm.lock and vm.lock != 'suspended':
                raise TaskError(f'VM is locked ({vm.lock})')
            self.refresh()
            if vm.status == 'running':
                raise TaskError(f'VM {vm.vmid} already running')
            await self.boot(vm)
        upid: str = await self.task(vm.node, 'qmstart', vm.vmid, user, body, vm=vm)
        return upid

    # ------------------------------------------------------------------ stop

    async def _end(self, vm: Any) -> None:
        with contextlib.suppress(SocketError, CommandError):
            await self.qmp(vm).command('quit', timeout=5)
        if not await self.process(vm).wait_gone(10):
            await self.process(vm).terminate()
        if self.process(vm).pid() is not None:
            raise TaskError(f'VM {vm.vmid} quit/powerdown failed: QEMU (pid {self.process(vm).pid()}) is still there')
        self._mark(vm, 'stopped')

    async def _do_stop(self, vm: Any, user: str, p: Any) -> str:
        if not p.get('skiplock'):
            self._check_lock(vm)
        upid: str = await self.task(vm.node, 'qmstop', vm.vmid, user, lambda: self._end(vm), vm=vm)
        return upid

    async def _ask_powerdown(self, vm: Any) -> None:
        """Through the agent when it answers, else the power button: as PVE does."""
        if commandline.agent_enabled(vm.config):
            try:
                await self.agent(vm).command('guest-ping', timeout=5)
                with contextlib.suppress(SocketError):  # it does not answer to this
                    await self.agent(vm).command('guest-shutdown', {'mode': 'powerdown'}, timeout=2)
                return
            except (SocketError, CommandError):
                log('the guest agent does not answer; pressing the power button instead')
        with contextlib.suppress(SocketError):
            await self.qmp(vm).command('system_powerdown')

    async def _powerdown(self, vm: Any, p: Any) -> str | None:
        timeout = int(p.get('timeout') or SHUTDOWN_SECONDS)
        began = time.monotonic()
        await self._ask_powerdown(vm)
        if await self.process(vm).wait_gone(max(1.0, timeout - (time.monotonic() - began))):
            self._mark(vm, 'stopped')
            return None
        if str(p.get('forceStop', '0')) not in ('1', 'true'):
            raise TaskError('VM quit/powerdown failed - got timeout')
        await self._end(vm)
        return 'VM still running - terminated'

    async def _do_reboot(self, vm: Any, user: str, p: Any) -> str:
        self._need_running(vm)
        self._check_lock(vm)

        async def body() -> None:
            await self._powerdown(vm, p)
            await self.boot(vm)
        upid: str = await self.task(vm.node, 'qmreboot', vm.vmid, user, body, vm=vm)
        return upid

    # ----------------------------------------------------------- QMP commands

    async def _monitor_task(self, vm: Any, user: str, kind: str, command: str, status: str | None) -> str:
        self._need_running(vm)
        self._check_lock(vm)

        async def body() -> None:
            await self.qmp(vm).command(command)
            if status:
                vm.qmpstatus = status
        upid: str = await self.task(vm.node, kind, vm.vmid, user, body, vm=vm)
        return upid

    async def _do_reset(self, vm: Any, user: str, p: Any) -> str:
        return await self._monitor_task(vm, user, 'qmreset', 'system_reset', None)

    async def _do_suspend(self, vm: Any, user: str, p: Any) -> str:
        if str(p.get('todisk', '0')) in ('1', 'true'):
            raise PveError(501, "the lab's PVE does not suspend to disk")
        return await self._monitor_task(vm, user, 'qmsuspend', 'stop', 'paused')

    async def _do_resume(self, vm: Any, user: str, p: Any) -> str:
        return await self._monitor_task(vm, user, 'qmresume', 'cont', 'running')
