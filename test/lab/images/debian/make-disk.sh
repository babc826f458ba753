#!/bin/sh
# Usage: make-disk.sh ROOT.tar DISK.qcow2 KERNEL
# One ext4 over the whole disk, labelled root; KERNEL becomes a copy of its kernel. Run as root or under fakeroot, so that owners are kept.
set -eu

# The disk of a guest is larger; cloud-init grows the file system to it.
size=3G

archive=$1
disk=$2
kernel=$3
work=$disk.work
trap 'rm -rf "$work"' EXIT
rm -rf "$work"
mkdir -p "$work/root"

PATH=$PATH:/usr/sbin:/sbin
tar -x --numeric-owner --preserve-permissions -f "$archive" -C "$work/root"
cp "$work/root/vmlinuz" "$kernel"

truncate -s "$size" "$work/disk.raw"
# Tables written now need no background thread in the guest, and as zeros they take no room.
mkfs.ext4 -q -L root -E lazy_itable_init=0,lazy_journal_init=0 -d "$work/root" "$work/disk.raw"
qemu-img convert -f raw -O qcow2 "$work/disk.raw" "$disk"
