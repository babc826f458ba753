import asyncio
import os
import signal
import socket
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pve.labtest import QEMU, LabCase  # noqa: E402
from pve.settings import SetupError, read_token  # noqa: E402
from pve.state import StateDir  # noqa: E402


class Power(LabCase):
    async def start(self) -> str:
        return await self.task('POST', QEMU + '/210/status/start')

    async def current(self) -> dict:
        return (await self.call('GET', QEMU + '/210/status/current'))[1]

    async def test_a_started_vm_has_a_process_and_a_stopped_one_has_none(self) -> None:
        await self.holder_and_guest()
        self.assertEqual(await self.start(), 'OK')
        status = await self.current()
        self.assertEqual(status['status'], 'running')
        os.kill(status['pid'], 0)
        self.assertEqual(await self.start(), 'VM 210 already running')
        self.assertEqual((await self.call('DELETE', QEMU + '/210/')),
                         (500, 'VM 210 is running - destroy failed'))
        self.assertEqual(await self.task('POST', QEMU + '/210/status/stop'), 'OK')
        self.assertNotIn('pid', await self.current())

    async def test_a_vm_whose_qemu_died_is_stopped(self) -> None:
        await self.holder_and_guest()
        await self.start()
        os.kill((await self.current())['pid'], signal.SIGKILL)
        self.assertTrue(await self.pve.process(self.pve.vm(210)).wait_gone(20))
        self.assertEqual((await self.current())['status'], 'stopped')

    async def test_a_vm_outlives_the_server_and_is_adopted_by_the_next(self) -> None:
        await self.holder_and_guest()
        await self.start()
        pid = (await self.current())['pid']
        await self.close(end_guests=False)
        await self.open()
        await self.pve.start_guests()
        self.assertEqual((await self.current())['pid'], pid)
        self.assertEqual(await self.task('POST', QEMU + '/210/status/shutdown'), 'OK')

    async def test_a_vm_that_should_run_is_started_after_a_power_loss(self) -> None:
        await self.holder_and_guest()
        await self.start()
        pid = (await self.current())['pid']
        await self.close(end_guests=False)
        os.kill(pid, signal.SIGKILL)
        self.assertTrue(await self.pve.process(self.pve.vm(210)).wait_gone(20))
        await self.open()
        await self.pve.start_guests()
        async with asyncio.timeout(60):
            while (await self.current())['status'] != 'running':
                await asyncio.sleep(0.1)
        self.assertNotEqual((await self.current())['pid'], pid)

    async def test_a_stranger_with_the_pid_of_the_pidfile_is_neither_adopted_nor_ended(self) -> None:
        await self.holder_and_guest()
        folder = self.settings.vm_dir(210)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / 'qemu.pid').write_text(str(os.getpid()))
        self.assertEqual((await self.current())['status'], 'stopped')
        await self.pve.process(self.pve.vm(210)).terminate()

    async def test_a_qemu_that_ends_at_once_fails_the_start_with_its_last_words(self) -> None:
        await self.holder_and_guest()
        with mock.patch.dict(os.environ, FAKE_QEMU='DIE'):
            self.assertIn('no such device', await self.start())
        self.assertEqual((await self.current())['status'], 'stopped')

    async def test_an_occupied_ssh_port_fails_the_start_and_is_named(self) -> None:
        await self.holder_and_guest()
        with socket.create_server(('127.0.0.1', self.settings.ssh_port)):
            self.assertIn(f'127.0.0.1:{self.settings.ssh_port}', await self.start())

    async def test_a_missing_vendor_snippet_fails_the_start_as_on_a_node(self) -> None:
        await self.holder_and_guest(cicustom='vendor=library-pve:snippets/v.yaml')
        self.assertIn("can't open '/mnt/pve/library-pve/snippets/v.yaml' - No such file", await self.start())

    async def test_a_nic_off_vlan_21_is_unplugged_before_the_start_ends(self) -> None:
        await self.holder_and_guest(net0='virtio,bridge=vmbr0')
        self.assertEqual(await self.start(), 'OK')
        self.assertIn('"set_link", "arguments": {"name": "net0", "up": false}',
                      (self.settings.vm_dir(210) / 'qmp.log').read_text())

    async def test_a_change_to_a_running_vm_is_pending_until_its_reboot(self) -> None:
        await self.holder_and_guest()
        await self.start()
        await self.call('PUT', QEMU + '/210/config', memory=1024)
        self.assertEqual((await self.call('GET', QEMU + '/210/config', current=1))[1].get('memory'), None)
        self.assertEqual((await self.call('GET', QEMU + '/210/config'))[1]['memory'], '1024')
        self.assertEqual(await self.task('POST', QEMU + '/210/status/reboot'), 'OK')
        self.assertEqual((await self.call('GET', QEMU + '/210/config', current=1))[1]['memory'], '1024')

    async def test_an_agent_that_does_not_answer_is_not_running(self) -> None:
        await self.holder_and_guest()
        await self.start()
        self.assertEqual(await self.call('POST', QEMU + '/210/agent/ping'),
                         (500, 'QEMU guest agent is not running'))

    async def test_a_wrong_token_is_refused(self) -> None:
        self.client.headers['Authorization'] = 'PVEAPIToken=hermes@pve!deploy=wrong'
        async with self.client.get(f'{self.pve.url}/api2/json/version', ssl=False) as answer:
            self.assertEqual((answer.status, answer.reason), (401, 'invalid token value!'))

    async def test_no_node_address_leaves_the_machine(self) -> None:
        for path in ('/cluster/status', '/nodes/pve-sbx-1/network', '/cluster/config/nodes'):
            self.assertNotIn('192.0.2', str(await self.call('GET', path)), path)

    async def test_a_second_server_on_the_state_directory_is_refused(self) -> None:
        with self.assertRaisesRegex(SetupError, 'another server'):
            StateDir(self.settings.state).acquire()

    async def test_a_half_created_vm_is_gone_after_a_restart_with_its_disk(self) -> None:
        await self.holder_and_guest()
        vm = self.pve.vm(210)
        vm.lock, vm.made = 'create', [['local-lvm', 'vm-210-disk-0']]
        await self.close(end_guests=False)
        await self.open()
        self.assertIsNone(self.pve.vm(210))
        self.assertFalse(self.volume('vm-210-disk-0').exists())
        self.assertTrue(self.volume('vm-211-disk-0').exists())

    async def test_a_malformed_token_file_is_refused_without_showing_it(self) -> None:
        (self.root / 'token').write_text('hunter2')
        with self.assertRaises(SetupError) as caught:
            read_token(self.root / 'token')
        self.assertNotIn('hunter2', str(caught.exception))


if __name__ == '__main__':
    unittest.main()
