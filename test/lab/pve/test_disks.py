import hashlib
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pve.labtest import NODE, QEMU, LabCase  # noqa: E402


class Disks(LabCase):
    async def test_a_created_vm_has_its_imported_disk_the_holders_disk_and_a_named_cloud_init_drive(self) -> None:
        await self.holder_and_guest()
        _, config = await self.call('GET', QEMU + '/210/config')
        self.assertEqual(config['scsi0'], 'local-lvm:vm-210-disk-0,size=1M')
        self.assertEqual(config['scsi1'], 'local-lvm:vm-211-disk-0,serial=hermes-data,size=1G')
        self.assertEqual(config['ide2'], 'local-lvm:vm-210-cloudinit,media=cdrom')
        self.assertTrue(self.volume('vm-210-disk-0').read_bytes().startswith(b'data'))
        self.assertEqual(self.volume('vm-211-disk-0').stat().st_size, 1024 ** 3)
        self.assertEqual(self.volume('vm-211-disk-0').stat().st_blocks, 0)

    async def test_destroy_with_a_slash_frees_the_vms_own_disks_and_keeps_the_holders(self) -> None:
        await self.holder_and_guest()
        self.assertEqual(await self.task('DELETE', QEMU + '/210/', **{'destroy-unreferenced-disks': 1, 'purge': 1}),
                         'OK')
        self.pve.save()
        self.assertFalse(self.volume('vm-210-disk-0').exists())
        self.assertTrue(self.volume('vm-211-disk-0').exists())
        self.assertEqual((await self.call('GET', QEMU + '/210/config'))[0], 500)

    async def test_a_protected_vm_is_not_destroyed(self) -> None:
        await self.holder_and_guest()
        self.assertEqual(await self.call('DELETE', QEMU + '/211/'),
                         (500, "can't remove VM 211 - protection mode enabled"))

    async def test_a_taken_vmid_is_refused_and_its_disks_stay(self) -> None:
        await self.holder_and_guest()
        status, message = await self.call('POST', QEMU, vmid=211, scsi0='local-lvm:1')
        self.assertEqual((status, message), (500, "unable to create VM 211 - VM 211 already exists on node 'pve-sbx-1'"))
        self.assertTrue(self.volume('vm-211-disk-0').exists())

    async def test_a_failed_import_leaves_neither_vm_nor_disk(self) -> None:
        self.assertEqual(await self.download(filename='broken.qcow2'), 'OK')
        status = await self.task('POST', QEMU, vmid=210,
                                 scsi0='local-lvm:0,import-from=library-pve:import/broken.qcow2')
        self.assertIn('qemu-img: bad image', status)
        self.pve.save()
        self.assertFalse(self.volume('vm-210-disk-0').exists())
        self.assertIsNone(self.pve.vm(210))

    async def test_a_missing_image_is_named(self) -> None:
        status = await self.task('POST', QEMU, vmid=210, scsi0='local-lvm:0,import-from=library-pve:import/no.qcow2')
        self.assertIn("volume 'library-pve:import/no.qcow2' does not exist", status)

    async def test_a_disk_grows_and_does_not_shrink(self) -> None:
        await self.holder_and_guest()
        self.assertEqual(await self.task('PUT', QEMU + '/210/resize', disk='scsi0', size='2G'), 'OK')
        self.assertEqual(self.volume('vm-210-disk-0').stat().st_size, 2 * 1024 ** 3)
        self.assertEqual((await self.call('GET', QEMU + '/210/config'))[1]['scsi0'],
                         'local-lvm:vm-210-disk-0,size=2G')
        self.assertEqual(await self.task('PUT', QEMU + '/210/resize', disk='scsi0', size='1G'),
                         'shrinking disks is not supported')
        self.assertEqual(await self.task('PUT', QEMU + '/210/resize', disk='scsi0', size='+1G'), 'OK')
        self.assertEqual(self.volume('vm-210-disk-0').stat().st_size, 3 * 1024 ** 3)

    async def test_a_detached_disk_becomes_unused_and_its_file_goes_when_that_is_deleted(self) -> None:
        await self.holder_and_guest(scsi2='local-lvm:1')
        await self.call('PUT', QEMU + '/210/config', delete='scsi1,scsi2')
        _, config = await self.call('GET', QEMU + '/210/config')
        self.assertEqual(config['unused0'], 'local-lvm:vm-210-disk-1')
        self.assertNotIn('unused1', config)
        await self.call('PUT', QEMU + '/210/config', delete='unused0')
        self.assertFalse(self.volume('vm-210-disk-1').exists())
        self.assertTrue(self.volume('vm-211-disk-0').exists())

    async def test_a_download_with_a_wrong_checksum_leaves_no_file(self) -> None:
        status = await self.download(**{'checksum': '00', 'checksum-algorithm': 'sha512'})
        right = hashlib.sha512(b'image').hexdigest()
        self.assertEqual(status, f"checksum mismatch: got '{right}' != expect '00'")
        self.assertEqual(list(self.volume('import', 'library-pve').iterdir()), [])
        self.assertEqual(await self.download(**{'checksum': right, 'checksum-algorithm': 'sha512'}), 'OK')

    async def test_an_existing_file_is_not_overwritten(self) -> None:
        await self.download()
        self.assertEqual(await self.download(),
                         "refusing to override existing file '/mnt/pve/library-pve/import/lab.qcow2'")

    async def test_a_url_that_leaves_the_machine_is_refused(self) -> None:
        self.assertIn('127.0.0.1 only', await self.download(url='https://example.org/lab.qcow2'))

    async def test_the_metadata_of_a_url_are_its_servers(self) -> None:
        _, data = await self.call('GET', NODE + '/query-url-metadata',
                                  url=f'http://127.0.0.1:{self.image_port}/lab.qcow2')
        self.assertEqual((data['size'], data['filename']), (5, 'lab.qcow2'))

    async def test_a_snippet_file_is_a_volume_of_library_pve(self) -> None:
        (self.settings.snippets / 'v.yaml').write_text('x')
        _, items = await self.call('GET', NODE + '/storage/library-pve/content', content='snippets')
        self.assertEqual([item['volid'] for item in items], ['library-pve:snippets/v.yaml'])


if __name__ == '__main__':
    unittest.main()
