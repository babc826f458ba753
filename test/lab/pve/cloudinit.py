"""The cloud-init drive as Proxmox VE writes it (qemu-server's Cloudinit module, citype nocloud).

Key order, indentation and quoting follow PVE's own output, so that what cloud-init reads in the lab is what
it reads on a node. One difference: PVE adds the node's own resolver when a VM has none; the lab adds none.
"""

import hashlib
import ipaddress
import re
from collections.abc import Mapping
from urllib.parse import unquote

FILES = ('user-data', 'network-config', 'meta-data', 'vendor-data')


def properties(text: str) -> dict[str, str]:
    """`a=1,b=2` as a mapping; a bare first value has the key ''."""
    out: dict[str, str] = {}
    for part in str(text).split(','):
        key, eq, value = part.partition('=')
        out[key if eq else ''] = value if eq else key
    return out


def mac_address(net: str) -> str | None:
    found = re.search(r'([0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5})', net)
    return found.group(1).lower() if found else None


def user_data(config: Mapping[str, str], vmid: int) -> str:
    hostname = str(config.get('name') or f'VM{vmid}')
    fqdn = None
    if '.' in hostname:
        fqdn, hostname = hostname, hostname.split('.', 1)[0]
    elif config.get('searchdomain'):
        fqdn = f'{hostname}.{config["searchdomain"]}'
    user = config.get('ciuser')
    lines = ['#cloud-config', f'hostname: {hostname}', 'manage_etc_hosts: true']
    if fqdn:
        lines.append(f'fqdn: {fqdn}')
    if user:
        lines.append(f'user: {user}')
    if config.get('cipassword'):
        lines.append(f'password: {config["cipassword"]}')
    if config.get('sshkeys'):
        keys = [k for k in unquote(str(config['sshkeys'])).splitlines() if k.strip()]
        lines += ['ssh_authorized_keys:', *(f'  - {k}' for k in keys)]
    lines += ['chpasswd:', '  expire: False']
    if user != 'root':
        lines += ['users:', '  - default']
    # PVE's default is to upgrade; only ciupgrade=0 turns it off.
    if str(config.get('ciupgrade', '1')) not in ('0', 'no', 'false'):
        lines.append('package_upgrade: true')
    return '\n'.join(lines) + '\n'


def _subnets(ipconfig: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    ip = ipconfig.get('ip')
    if ip == 'dhcp':
        lines.append('      - type: dhcp4')
    elif ip:
        interface = ipaddress.IPv4Interface(ip)
        lines += ['      - type: static', f"        address: '{interface.ip}'",
                  f"        netmask: '{interface.netmask}'"]
        if ipconfig.get('gw'):
            lines.append(f"        gateway: '{ipconfig['gw']}'")
    ip6 = ipconfig.get('ip6')
    if ip6 in ('dhcp', 'auto'):
        lines.append('      - type: ' + {'dhcp': 'dhcp6', 'auto': 'ipv6_slaac'}[ip6])
    elif ip6:
        lines += ['      - type: static6', f"        address: '{ip6}'"]
        if ipconfig.get('gw6'):
            lines.append(f"        gateway: '{ipconfig['gw6']}'")
    return lines


def network_config(config: Mapping[str, str]) -> str:
    lines = ['version: 1', 'config:']
    for key in sorted(k for k in config if re.fullmatch(r'net\d+', k)):
        number = key[3:]
        if not config.get(f'ipconfig{number}'):
            continue
        lines += ['    - type: physical', f'      name: eth{number}',
                  f"      mac_address: '{mac_address(config[key])}'", '      subnets:']
        lines += _subnets(properties(config[f'ipconfig{number}']))
    servers = str(config.get('nameserver') or '').replace(',', ' ').split()
    domains = str(config.get('searchdomain') or '').replace(',', ' ').split()
    if servers or domains:
        lines.append('    - type: nameserver')
        if servers:
            lines += ['      address:', *(f"      - '{s}'" for s in servers)]
        if domains:
            lines += ['      search:', *(f"      - '{d}'" for d in domains)]
    return '\n'.join(lines) + '\n'


def custom_volumes(config: Mapping[str, str]) -> dict[str, str]:
    """cicustom's volumes by the file that each replaces or adds."""
    names = {'user': 'user-data', 'network': 'network-config', 'meta': 'meta-data', 'vendor': 'vendor-data'}
    return {names[k]: v for k, v in properties(config.get('cicustom') or '').items() if k in names}


def render(config: Mapping[str, str], vmid: int, custom: Mapping[str, str]) -> dict[str, str]:
    """The drive's files; `custom` holds the texts of cicustom's snippets by file name."""
    user = custom.get('user-data') or user_data(config, vmid)
    network = custom.get('network-config') or network_config(config)
    # As PVE does: the instance is new when its user data or its network changed.
    instance = hashlib.sha1((user + network).encode(), usedforsecurity=False).hexdigest()
    files = {'user-data': user, 'network-config': network,
             'meta-data': custom.get('meta-data') or f'instance-id: {instance}\n'}
    if custom.get('vendor-data'):
        files['vendor-data'] = custom['vendor-data']
    return files
