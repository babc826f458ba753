#!/bin/sh
# Runs inside the new root, after its packages are installed.
set -eu

# The whole disk is one file system: PVE in the lab starts the kernel itself, so no boot loader and no
# partition is needed, and cloud-init's resizefs grows it as it does with a partition.
echo 'LABEL=root / ext4 defaults,errors=remount-ro 0 1' > /etc/fstab

# The minimal variant of Debian enables no network and no SSH by itself.
systemctl enable systemd-networkd.service systemd-resolved.service systemd-timesyncd.service ssh.service \
  qemu-guest-agent.service serial-getty@ttyS0.service
ln -sf ../run/systemd/resolve/stub-resolv.conf /etc/resolv.conf

# These cost a minute of an emulated processor and change nothing that runs on the guest.
systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
  e2scrub_reap.service fstrim.timer

# Debian's genericcloud image asks for every data source; PVE gives a NoCloud drive, and asking for nothing
# else saves waiting for a metadata service that the lab does not have.
printf 'datasource_list: [NoCloud, None]\n' > /etc/cloud/cloud.cfg.d/95-lab.cfg

# The lab's registry stands in for the public one, under the official name of the image. Not as a mirror: podman
# would go on to the public one, which the guest cannot reach, and wait.
mkdir -p /etc/containers/registries.conf.d
cat > /etc/containers/registries.conf.d/90-lab.conf <<'CONF'
[[registry]]
prefix = "docker.io/nousresearch/hermes-agent"
location = "10.32.21.5:5000/nousresearch/hermes-agent"
insecure = true
CONF

# No Debian mirror can be reached from the lab's guest either, and the upgrade that PVE asks of a first boot would
# only wait for timeouts. Without a source it has nothing to do.
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*

printf 'LANG=C.UTF-8\n' > /etc/default/locale
printf 'hermes-lab\n' > /etc/hostname

# A disk that is copied must not carry an identity.
rm -f /etc/ssh/ssh_host_* /var/lib/systemd/random-seed /var/lib/dbus/machine-id
: > /etc/machine-id

# Newer than /usr: systemd need not rebuild the linker's cache and the journal's catalogue at the first boot.
touch /etc/.updated /var/.updated
