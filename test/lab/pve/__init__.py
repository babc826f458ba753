"""The lab's Proxmox VE: fakepve's API with real QEMU, disks and guest agents behind it.

fakepve (pinned in requirements.txt) answers the API as Proxmox VE does; this package subclasses it and
replaces what must be real: volumes are files, a started VM is a QEMU process, agent calls reach the guest.
"""
