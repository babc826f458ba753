#!/bin/sh
# Runs inside the new root, after its packages are installed.
set -eu

echo 'LABEL=root / ext4 defaults,errors=remount-ro 0 1' > /etc/fstab
printf 'LANG=C.UTF-8\n' > /etc/default/locale
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*

# A disk that is copied must not carry an identity.
rm -f /etc/ssh/ssh_host_* /var/lib/systemd/random-seed /var/lib/dbus/machine-id
: > /etc/machine-id

# These cost a minute of an emulated processor and change nothing that runs here, on the host or in its guest.
systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
  e2scrub_reap.service fstrim.timer modprobe@configfs.service modprobe@drm.service modprobe@efi_pstore.service \
  modprobe@fuse.service sys-kernel-config.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
  sys-fs-fuse-connections.mount dev-hugepages.mount dev-mqueue.mount \
  systemd-network-generator.service systemd-udev-load-credentials.service systemd-pstore.service \
  systemd-binfmt.service proc-sys-fs-binfmt_misc.automount
systemctl disable podman.socket podman.service podman-auto-update.timer podman-restart.service \
  podman-clean-transient.service 2> /dev/null || true

# What the guest starts from: Debian's /etc before anything of the host is in it.
mkdir -p /usr/lib/lab
cp -a /etc /usr/lib/lab/guest-etc
ln -sf ../run/systemd/resolve/stub-resolv.conf /usr/lib/lab/guest-etc/resolv.conf

# From here on the host.
printf 'chopper\n' > /etc/hostname
printf '127.0.0.1 localhost\n127.0.0.2 chopper\n::1 localhost\n' > /etc/hosts
systemctl enable systemd-networkd.service nftables.service ssh.service serial-getty@ttyS0.service
systemctl disable systemd-networkd-wait-online.service systemd-resolved.service 2> /dev/null || true
printf 'nameserver 192.168.20.1\n' > /etc/resolv.conf

# As on NixOS: ordinary users are in the group users.
useradd --create-home --gid users --shell /run/current-system/sw/bin/bash mhelton
usermod --password '!' root
groupadd --system --force kvm
useradd --system --gid kvm --home-dir /var/empty --no-create-home --shell /usr/sbin/nologin microvm

# Newer than /usr: systemd need not rebuild the linker's cache and the journal's catalogue at the first boot.
touch /etc/.updated /var/.updated
