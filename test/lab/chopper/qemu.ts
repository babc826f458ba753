/** The QEMU command line of the lab's chopper. */

/** chopper's place in its network, as its owner has it: the gateway is .1, the guest .51. */
const NETWORK = "192.168.20.0/23";
const GATEWAY = "192.168.20.1";
const ADDRESS = "192.168.20.2";
/** Where the lab's registry stands for the machines in that network: the only way out. */
const REGISTRY = "192.168.20.5:5000";

/**
 * Names in the folder that QEMU runs in. None is absolute: a path may exceed the 107 bytes of a socket's address, and a
 * comma or colon in it would mean something.
 */
export const FILES = {
  disk: "disk.qcow2",
  kernel: "vmlinuz",
  initrd: "initrd.img",
  console: "console.log",
  monitor: "qmp.sock",
} as const;

/**
 * Parameters of a kernel on emulated processors. QEMU 7.2's sometimes run a breakpoint that the kernel has already taken
 * away again while it patches its own code ("Oops: int3" in about 2 of 60 boots, and then a kernel that stands still):
 * such a machine starts again, as a server would.
 */
const EMULATED_KERNEL = " mitigations=off oops=panic panic=1";

export interface Chopper {
  readonly kvm: boolean;
  /** Ports on 127.0.0.1: one that leads to chopper's SSH, and the registry's. */
  readonly ports: { readonly ssh: number; readonly registry: number };
  /** Files that each hold one assignment `io.systemd.credential…`, which systemd reads from SMBIOS. */
  readonly credentials: readonly string[];
}

export function qemuCommand({ kvm, ports, credentials }: Chopper): [string, ...string[]] {
  const network = [
    `user,id=lan,restrict=on,ipv6=off,net=${NETWORK},host=${GATEWAY},dhcpstart=192.168.20.100`,
    `hostfwd=tcp:127.0.0.1:${ports.ssh}-${ADDRESS}:22`,
    `guestfwd=tcp:${REGISTRY}-cmd:socat STDIO TCP4:127.0.0.1:${ports.registry}`,
  ];
  return [
    "qemu-system-x86_64",
    ...["-name", "chopper", "-nodefaults", "-no-user-config", "-display", "none", "-machine", "q35"],
    // Without erms the kernel copies memory with unrolled loops, not with `rep movsb`, which an emulator does byte by byte.
    ...(kvm ? ["-accel", "kvm", "-cpu", "host"] : ["-accel", "tcg,thread=multi", "-cpu", "max,-erms"]),
    // The microvm's 4 and 8192 MiB, and some for the host. Memory is taken as it is used.
    ...["-smp", "4", "-m", "9216"],
    ...["-chardev", `socket,id=qmp,path=${FILES.monitor},server=on,wait=off`],
    ...["-mon", "chardev=qmp,mode=control"],
    ...["-chardev", `file,id=console,path=${FILES.console},append=on`, "-serial", "chardev:console"],
    // This stands in for the boot loader: the disk is one ext4 file system without a partition table.
    ...["-kernel", FILES.kernel, "-initrd", FILES.initrd],
    ...["-append", `root=LABEL=root rw console=ttyS0${kvm ? "" : EMULATED_KERNEL}`],
    // What is flushed stays in this machine's page cache, which outlives QEMU: a lab may be lost with this machine.
    ...["-drive", `file=${FILES.disk},if=none,id=root,format=qcow2,cache=unsafe,discard=unmap`],
    ...["-device", "virtio-blk-pci,drive=root"],
    ...["-netdev", network.join(","), "-device", "virtio-net-pci,netdev=lan"],
    ...["-device", "virtio-rng-pci"],
    // From files: every user of this machine can read the arguments of a process.
    ...credentials.flatMap((file) => ["-smbios", `type=11,path=${file}`]),
  ];
}
