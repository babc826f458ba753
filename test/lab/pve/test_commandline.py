import sys
import unittest
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pve import commandline  # noqa: E402
from pve.settings import Settings  # noqa: E402

SETTINGS = Settings(state=Path('/s'), images=Path('/i'), snippets=Path('/n'), host='127.0.0.1', port=1, image_port=2,
                    ssh_port=2222, registry_port=5001, accel='tcg')
CONFIG = {'name': 'vm-hermes', 'cores': '4', 'memory': '8192', 'agent': 'enabled=1,type=virtio',
          'net0': 'virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,tag=21', 'ipconfig0': 'ip=10.32.21.110/24,gw=10.32.21.1',
          'scsi0': 'local-lvm:vm-210-disk-0,discard=on,ssd=1', 'ide3': 'none,media=cdrom',
          'scsi1': 'local-lvm:vm-211-disk-0,serial=hermes-data'}


def build(settings: Settings = SETTINGS, **changes: str) -> commandline.Machine:
    return commandline.build({**CONFIG, **changes}, 210, settings, (Path('/k'), Path('/r')),
                             lambda volume: None if volume == 'none' else Path('/v') / volume.partition(':')[2])


class CommandLine(unittest.TestCase):
    def text(self, **changes: str) -> str:
        return ' '.join(build(**changes).argv)

    def test_a_disk_is_named_after_its_serial(self) -> None:
        self.assertIn('lun=1,drive=drive-scsi1,id=scsi1,serial=hermes-data', self.text())

    def test_with_the_identity_of_pve_9_a_disk_is_named_after_its_slot_although_it_has_a_serial(self) -> None:
        argv = ' '.join(build(replace(SETTINGS, scsi_identity='pve9')).argv)
        self.assertIn('device_id=drive-scsi1,drive=drive-scsi1,id=scsi1,serial=hermes-data', argv)

    def test_vlan_21_of_vmbr0_gets_the_ssh_forward_and_the_registry_and_nothing_else(self) -> None:
        machine = build()
        self.assertIn('restrict=on,ipv6=off,net=10.32.21.0/24,host=10.32.21.1,dhcpstart=10.32.21.110,'
                      'hostfwd=tcp:127.0.0.1:2222-10.32.21.110:22,'
                      'guestfwd=tcp:10.32.21.5:5000-cmd:socat STDIO TCP4:127.0.0.1:5001', ' '.join(machine.argv))
        self.assertEqual(machine.links_down, [])
        self.assertTrue(machine.forwards_ssh)

    def test_an_untagged_or_differently_tagged_nic_has_no_link_and_no_forward(self) -> None:
        for net in ('virtio=BC:24:11:AA:BB:CC,bridge=vmbr0', 'virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,tag=20',
                    'virtio=BC:24:11:AA:BB:CC,bridge=vmbr1,tag=21'):
            machine = build(net0=net)
            self.assertEqual(machine.links_down, ['net0'], net)
            self.assertNotIn('hostfwd', ' '.join(machine.argv))
            self.assertIn('has no link', machine.notes[0])

    def test_a_second_nic_on_the_vlan_does_not_take_the_forward_again(self) -> None:
        machine = build(net1='virtio=BC:24:11:AA:BB:CD,bridge=vmbr0,tag=21')
        self.assertEqual(' '.join(machine.argv).count('hostfwd'), 1)
        self.assertEqual(machine.links_down, ['net1'])

    def test_the_agent_port_exists_only_when_the_agent_is_on(self) -> None:
        self.assertIn('org.qemu.guest_agent.0', self.text())
        self.assertNotIn('org.qemu.guest_agent.0', self.text(agent='enabled=0'))

    def test_cores_and_sockets_multiply_and_memory_is_in_mebibytes(self) -> None:
        self.assertIn('-smp 8 -m 8192', self.text(sockets='2'))

    def test_the_accelerator_decides_the_processor(self) -> None:
        self.assertIn('-accel tcg,thread=multi -cpu max', self.text())
        self.assertIn('-accel kvm -cpu host', ' '.join(build(replace(SETTINGS, accel='kvm')).argv))

    def test_a_kernel_that_an_emulated_processor_has_brought_down_starts_again(self) -> None:
        self.assertIn(' oops=panic panic=1', self.text())
        self.assertNotIn('panic', ' '.join(build(replace(SETTINGS, accel='kvm')).argv))

    def test_an_empty_drive_is_left_out_and_a_cloud_init_drive_is_a_read_only_cd(self) -> None:
        text = self.text(ide2='local-lvm:vm-210-cloudinit,media=cdrom')
        self.assertNotIn('ide3', text)
        self.assertIn('media=cdrom,readonly=on', text)
        self.assertIn('ide-cd,bus=ide.1,unit=0,drive=drive-ide2', text)

    def test_a_comma_in_a_value_cannot_add_an_option(self) -> None:
        self.assertIn('-name a,,process=b', self.text(name='a,process=b'))


if __name__ == '__main__':
    unittest.main()
