#!/bin/sh
# Usage: make-disk.sh ROOT.tar FOLDER DISK.qcow2 KERNEL INITRD
# One ext4 over the whole disk, labelled root: the archive, with the lab's own files (FOLDER: this file's parent) laid
# over it. KERNEL and INITRD become copies of those in it. Run as root or under fakeroot, so that owners are kept.
set -eu

# Sparse. The guest's images lie on it, sparse too, so this bounds what they can really hold.
size=16G

archive=$1
folder=$2
disk=$3
kernel=$4
initrd=$5
work=$disk.work
trap 'rm -rf "$work"' EXIT
rm -rf "$work"
mkdir -p "$work/root"

PATH=$PATH:/usr/sbin:/sbin
tar -x --numeric-owner --preserve-permissions -f "$archive" -C "$work/root"
root=$work/root

# Whatever umask and owner the checkout has: files 0644, programs 0755, of root.
tar -c --owner=root:0 --group=root:0 --mode='u=rwX,go=rX' -C "$folder/root" . |
  tar -x --no-overwrite-dir --no-same-permissions -C "$root"
lab=$root/usr/lib/lab
tar -c --owner=root:0 --group=root:0 --mode='u=rwX,go=rX' -C "$folder" nix | tar -x -C "$lab"
install -m 0755 "$folder/microvm" "$root/usr/bin/microvm"
chmod 0440 "$root/etc/sudoers"

# Links as NixOS has them below /run, which tmpfiles.d/lab.conf puts there.
commands() {
  sed -e 's/#.*//' -e 's/ *$//' "$@" | grep .
}
link_commands() {
  target=$1
  shift
  mkdir -p "$target"
  commands "$@" | while read -r name; do
    for place in usr/bin usr/sbin; do
      if [ -e "$root/$place/$name" ] || [ -L "$root/$place/$name" ]; then
        ln -sf "/$place/$name" "$target/$name"
        break
      fi
    done
  done
}
link_commands "$lab/nixos/sw/bin" "$folder/debian/commands.txt"
link_commands "$lab/chopper/sw/bin" "$folder/debian/commands.txt" "$folder/debian/host-commands.txt"
mkdir -p "$lab/wrappers/bin"
for name in sudo su mount umount; do
  ln -sf "/usr/bin/$name" "$lab/wrappers/bin/$name"
done

cp "$root/vmlinuz" "$kernel"
cp "$root/initrd.img" "$initrd"

truncate -s "$size" "$work/disk.raw"
# Tables written now need no background thread in the guest, and as zeros they take no room.
mkfs.ext4 -q -L root -E lazy_itable_init=0,lazy_journal_init=0 -d "$root" "$work/disk.raw"
qemu-img convert -f raw -O qcow2 "$work/disk.raw" "$disk"
