"""The QEMU command line of a VM: a pure function of its config and the lab's settings."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .cloudinit import mac_address, properties
from .settings import Settings

# VLAN 21 of vmbr0 is the only network that the lab has. vmbr0 carries no native VLAN: any other NIC has no link.
BRIDGE, VLAN = 'vmbr0', '21'
DEFAULT_NETWORK = ipaddress.IPv4Interface('10.32.21.110/24')
REGISTRY = (ipaddress.IPv4Address('10.32.21.5'), 5000)
DRIVE = re.compile(r'^(scsi|virtio|sata|ide)(\d+)$')


@dataclass
class Machine:
    """What to run, and what the start task's log and QMP need to know."""

    argv: list[str]
    notes: list[str] = field(default_factory=list)
    links_down: list[str] = field(default_factory=list)
    forwards_ssh: bool = False


def quoted(value: object) -> str:
    """A value inside a QEMU option: a comma is written twice."""
    return str(value).replace(',', ',,')


def agent_enabled(config: Mapping[str, str]) -> bool:
    agent = properties(config.get('agent') or '0')
    return (agent.get('enabled') or agent.get('') or '0') in ('1', 'true', 'on')


def memory_mib(config: Mapping[str, str]) -> int:
    return int(str(config.get('memory', 512)).split('=')[-1])


def _drive(key: str, value: str, path: Path, identity: str) -> list[str]:
    kind, number = DRIVE.match(key).groups()  # type: ignore[union-attr]
    options = properties(value)
    cdrom = options.get('media') == 'cdrom'
    backend = f'file={quoted(path)},if=none,id=drive-{key},format=raw'
    if cdrom:
        backend += ',media=cdrom,readonly=on'
    else:
        # What the guest flushes stays in this machine's page cache, which outlives QEMU: only a crash of this
        # machine could lose it, and a lab may be lost.
        backend += f',cache=unsafe,discard={"unmap" if options.get("discard") == "on" else "ignore"}'
    argv = ['-drive', backend]
    if kind == 'scsi':
        # virtio-scsi-single: one controller a disk.
        argv += ['-device', f'virtio-scsi-pci,id=virtioscsi{number}']
        device = f'scsi-{"cd" if cdrom else "hd"},bus=virtioscsi{number}.0,channel=0,scsi-id=0,lun={number}'
        # PVE 9 (machine version 10.0 and later) names the device after its slot, serial or not, so that udev's
        # by-id link ends in drive-scsi1 and the serial is only in ID_SCSI_SERIAL. Before that, and with
        # `serial` here, QEMU names it after its serial.
        if identity == 'pve9':
            device += f',device_id=drive-{key}'
    elif kind == 'virtio':
        device = 'virtio-blk-pci'
    elif kind == 'ide':
        # q35 has one unit a port: PVE maps ide0 ide1 ide2 ide3 to the ports 0 2 1 3.
        device = f'ide-{"cd" if cdrom else "hd"},bus=ide.{(0, 2, 1, 3)[int(number)]},unit=0'
    else:
        device = f'ide-{"cd" if cdrom else "hd"},bus=ide.{int(number)},unit=0'
    device += f',drive=drive-{key},id={key}'
    if options.get('ssd') == '1' and kind != 'virtio' and not cdrom:
        device += ',rotation_rate=1'
    if options.get('serial'):
        device += f',serial={quoted(options["serial"])}'
    return [*argv, '-device', device]


# Without the flag the kernel copies memory with unrolled loops instead of `rep movsb`, which an emulator does byte
# by byte.
EMULATED_CPU = 'max,-erms'
# QEMU 7.2's sometimes run a breakpoint that the kernel has already taken away again while it patches its own code
# ("Oops: int3" in about 2 of 60 boots, and then a kernel that stands still): such a machine starts again.
EMULATED_KERNEL = ' mitigations=off oops=panic panic=1'


def _nic(key: str, value: str, config: Mapping[str, str], settings: Settings, machine: Machine) -> None:
    options = properties(value)
    mac = mac_address(value)
    number = key[3:]
    device = f'virtio-net-pci,netdev={key},id={key}' + (f',mac={mac}' if mac else '')
    on_vlan = options.get('bridge') == BRIDGE and options.get('tag') == VLAN
    if not on_vlan or machine.forwards_ssh:
        # A hub with one port: a NIC with nobody at the other end.
        machine.argv += ['-netdev', f'hubport,id={key},hubid={number}', '-device', device]
        machine.links_down.append(key)
        where = f"bridge {options.get('bridge', 'none')}, tag {options.get('tag', 'none')}"
        machine.notes.append(f'{key} ({where}) has no link: the lab carries one NIC on {BRIDGE} with tag={VLAN} '
                             'only, and vmbr0 has no native VLAN')
        return
    ip = properties(config.get(f'ipconfig{number}') or '')
    try:
        guest = ipaddress.IPv4Interface(ip['ip'])
    except (KeyError, ValueError):
        guest = DEFAULT_NETWORK
    gateway = ip.get('gw') or str(guest.network[1])
    net = (f'user,id={key},restrict=on,ipv6=off,net={guest.network},host={gateway},dhcpstart={guest.ip},'
           f'hostfwd=tcp:{settings.host}:{settings.ssh_port}-{guest.ip}:22')
    if REGISTRY[0] in guest.network:
        net += (f',guestfwd=tcp:{REGISTRY[0]}:{REGISTRY[1]}'
                f'-cmd:socat STDIO TCP4:{settings.host}:{settings.registry_port}')
    machine.argv += ['-netdev', net, '-device', device]
    machine.forwards_ssh = True
    machine.notes.append(f'{key}: {guest} on VLAN {VLAN}; SSH at {settings.host}:{settings.ssh_port}, '
                         f'registry at {REGISTRY[0]}:{REGISTRY[1]}, nothing else')
    if options.get('link_down') == '1':
        machine.links_down.append(key)


def build(config: Mapping[str, str], vmid: int, settings: Settings, kernel: tuple[Path, Path],
          path_of: Callable[[str], Path | None]) -> Machine:
    """The machine of a config. path_of gives the file of a volume id, None for an empty drive."""
    folder = settings.vm_dir(vmid)
    cores = int(config.get('cores', 1)) * int(config.get('sockets', 1))
    accel = ['-accel', 'kvm', '-cpu', 'host'] if settings.accel == 'kvm' else \
        ['-accel', 'tcg,thread=multi', '-cpu', EMULATED_CPU]
    machine = Machine([
        'qemu-system-x86_64', '-name', quoted(config.get('name') or f'VM{vmid}'), '-nodefaults',
        '-no-user-config', '-display', 'none', '-machine', 'q35', *accel,
        '-smp', str(cores), '-m', str(memory_mib(config)),
        # Sockets are relative to the working directory: an absolute path may exceed the 107 bytes of a socket
        # address. The absolute pidfile marks the process as ours (process.py).
        '-pidfile', str(folder / 'qemu.pid'),
        '-chardev', 'socket,id=qmp,path=qmp.sock,server=on,wait=off', '-mon', 'chardev=qmp,mode=control',
        # The console goes to a file whether or not the config has serial0: it is the lab's only screen.
        '-chardev', 'file,id=console,path=console.log,append=on', '-serial', 'chardev:console',
        # This stands in for SeaBIOS and GRUB: the lab's disk image is one ext4 file system without a partition
        # table, and its kernel was read from it (boot.py).
        '-kernel', str(kernel[0]), '-initrd', str(kernel[1]),
        '-append', 'root=LABEL=root rw console=ttyS0' + (EMULATED_KERNEL if settings.accel == 'tcg' else '')])
    uuid = properties(config.get('smbios1') or '').get('uuid')
    if uuid:
        machine.argv += ['-uuid', uuid]
    if agent_enabled(config):
        machine.argv += ['-chardev', 'socket,id=qga0,path=qga.sock,server=on,wait=off',
                         '-device', 'virtio-serial-pci', '-device',
                         'virtserialport,chardev=qga0,name=org.qemu.guest_agent.0']
    for key in sorted(config, key=lambda k: (k.rstrip('0123456789'), len(k), k)):
        if DRIVE.match(key):
            path = path_of(str(config[key]).split(',', 1)[0].removeprefix('file='))
            if path is not None:
                machine.argv += _drive(key, str(config[key]), path, settings.scsi_identity)
        elif re.fullmatch(r'net\d+', key):
            _nic(key, str(config[key]), config, settings, machine)
    return machine
