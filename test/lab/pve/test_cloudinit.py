import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pve import cloudinit  # noqa: E402

CONFIG = {'name': 'vm-hermes', 'ciuser': 'debian', 'sshkeys': 'ssh-ed25519%20AAAA%20one%0Assh-ed25519%20BBBB%20two%0A',
          'ciupgrade': '0', 'net0': 'virtio=BC:24:11:AA:BB:CC,bridge=vmbr0,tag=21',
          'ipconfig0': 'ip=10.32.21.110/24,gw=10.32.21.1', 'nameserver': '10.32.21.1 10.32.21.2',
          'searchdomain': 'example.internal'}


class CloudInit(unittest.TestCase):
    def test_the_user_data_has_the_fields_and_the_order_of_pve(self) -> None:
        self.assertEqual(cloudinit.user_data(CONFIG, 210), """#cloud-config
hostname: vm-hermes
manage_etc_hosts: true
fqdn: vm-hermes.example.internal
user: debian
ssh_authorized_keys:
  - ssh-ed25519 AAAA one
  - ssh-ed25519 BBBB two
chpasswd:
  expire: False
users:
  - default
""")

    def test_packages_are_upgraded_unless_ciupgrade_is_0_as_on_a_node(self) -> None:
        config = {k: v for k, v in CONFIG.items() if k != 'ciupgrade'}
        self.assertTrue(cloudinit.user_data(config, 210).endswith('package_upgrade: true\n'))

    def test_the_network_is_version_1_keyed_by_the_mac_address(self) -> None:
        self.assertEqual(cloudinit.network_config(CONFIG), """version: 1
config:
    - type: physical
      name: eth0
      mac_address: 'bc:24:11:aa:bb:cc'
      subnets:
      - type: static
        address: '10.32.21.110'
        netmask: '255.255.255.0'
        gateway: '10.32.21.1'
    - type: nameserver
      address:
      - '10.32.21.1'
      - '10.32.21.2'
      search:
      - 'example.internal'
""")

    def test_the_instance_id_changes_with_the_user_data_or_the_network_and_with_nothing_else(self) -> None:
        meta = cloudinit.render(CONFIG, 210, {})['meta-data']
        self.assertEqual(meta, cloudinit.render({**CONFIG, 'memory': '1'}, 210, {'vendor-data': 'x'})['meta-data'])
        self.assertNotEqual(meta, cloudinit.render({**CONFIG, 'ciuser': 'x'}, 210, {})['meta-data'])
        self.assertNotEqual(meta, cloudinit.render({**CONFIG, 'nameserver': ''}, 210, {})['meta-data'])

    def test_a_vendor_snippet_adds_vendor_data_and_leaves_the_rest(self) -> None:
        files = cloudinit.render(CONFIG, 210, {'vendor-data': '#cloud-config\n'})
        self.assertEqual(files['vendor-data'], '#cloud-config\n')
        self.assertEqual(files['user-data'], cloudinit.user_data(CONFIG, 210))

    def test_cicustom_names_the_snippet_of_each_file(self) -> None:
        self.assertEqual(cloudinit.custom_volumes({'cicustom': 'vendor=library-pve:snippets/a.yaml'}),
                         {'vendor-data': 'library-pve:snippets/a.yaml'})


if __name__ == '__main__':
    unittest.main()
