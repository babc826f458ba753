// The arguments of a VmLegacy, with the defaults that the real provider fills in
// (bpg/terraform-provider-proxmox, proxmoxtf/resource/vm: vm.go, disk/schema.go, network/schema.go).

import { isMarked, isObject, isSecret, isUnknown, type Value, type Values } from "../base/values.ts";

const SPEED = {
  iopsRead: 0,
  iopsReadBurstable: 0,
  iopsWrite: 0,
  iopsWriteBurstable: 0,
  read: 0,
  readBurstable: 0,
  write: 0,
  writeBurstable: 0,
};
const DISK = {
  aio: "io_uring",
  backup: true,
  cache: "none",
  datastoreId: "local-lvm",
  discard: "ignore",
  importFrom: "",
  iothread: false,
  queues: 0,
  replicate: true,
  serial: "",
  size: 8,
  // What PVE reports has no speed: this default differs from it for ever, unless it is ignored.
  speed: SPEED,
  ssd: false,
};
const NETWORK = {
  bridge: "vmbr0",
  disconnected: false,
  enabled: true,
  firewall: false,
  model: "virtio",
  mtu: 0,
  queues: 0,
  rateLimit: 0,
  trunks: "",
  vlanId: 0,
};
const AGENT = { enabled: false, timeout: "15m", trim: false, type: "virtio" };
const CDROM = { fileId: "", interface: "ide3" };
const CPU = {
  affinity: "",
  architecture: "",
  cores: 1,
  flags: [] as string[],
  hotplugged: 0,
  limit: 0,
  numa: false,
  sockets: 1,
  type: "qemu64",
};
const MEMORY = { dedicated: 512, floating: 0, hugepages: "", keepHugepages: false, shared: 0 };
const STARTUP = { order: -1, upDelay: -1, downDelay: -1 };
const VGA = { clipboard: "", memory: 16, type: "std" };
const SCALARS = {
  acpi: true,
  bios: "seabios",
  deleteUnreferencedDisksOnDestroy: true,
  description: "",
  keyboardLayout: "en-us",
  kvmArguments: "",
  machine: "",
  name: "",
  onBoot: true,
  protection: false,
  purgeOnDestroy: true,
  reboot: false,
  rebootAfterUpdate: true,
  scsiHardware: "virtio-scsi-pci",
  started: true,
  stopOnDestroy: false,
  tabletDevice: true,
  template: false,
  timeoutCreate: 1800,
  timeoutReboot: 1800,
  timeoutShutdownVm: 1800,
  timeoutStartVm: 1800,
  timeoutStopVm: 300,
};

type Cloud = {
  datastoreId: string;
  interface?: string;
  fileFormat?: string;
  dns?: { domain?: string; servers?: string[] };
  ipConfigs?: {
    ipv4?: { address?: string; gateway?: string };
    ipv6?: { address?: string; gateway?: string };
  }[];
  userAccount?: { keys?: string[]; password?: string; username?: string };
  userDataFileId?: string;
  vendorDataFileId?: string;
  networkDataFileId?: string;
  metaDataFileId?: string;
  type?: string;
  upgrade?: boolean;
};
export type Disk = Omit<typeof DISK, "speed"> & {
  interface: string;
  pathInDatastore?: string;
  fileFormat?: string;
  speed?: typeof SPEED;
};
export type NetworkDevice = typeof NETWORK & { macAddress?: string };
export type Vm = typeof SCALARS & {
  agent: typeof AGENT & { waitForIp?: { disabled?: boolean; ipv4?: boolean; ipv6?: boolean } };
  bootOrders?: string[];
  cdrom: typeof CDROM & { enabled?: boolean };
  cpu: typeof CPU & { units?: number };
  disks: Disk[];
  hotplug?: string;
  initialization?: Cloud;
  memory: typeof MEMORY;
  networkDevices?: NetworkDevice[];
  nodeName: string;
  operatingSystem: { type: string };
  serialDevices: { device: string }[];
  startup?: typeof STARTUP;
  tags?: string[];
  vga?: typeof VGA;
  vmId?: number;
};

/** Blocks that the real provider makes up when they are left out. */
const ALWAYS: Values = {
  agent: AGENT,
  cdrom: CDROM,
  cpu: CPU,
  disks: [{ ...DISK, interface: "scsi0" }],
  memory: MEMORY,
  operatingSystem: { type: "other" },
  serialDevices: [{ device: "socket" }],
};
const WHEN_GIVEN: { [block: string]: Values } = {
  agent: AGENT,
  cdrom: CDROM,
  cpu: CPU,
  disks: DISK,
  initialization: { datastoreId: "local-lvm" },
  memory: MEMORY,
  networkDevices: NETWORK,
  operatingSystem: { type: "other" },
  serialDevices: { device: "socket" },
  startup: STARTUP,
  vga: VGA,
};

export const CARRIED_OUT = new Set([
  ...Object.keys(SCALARS),
  ...Object.keys(WHEN_GIVEN),
  ...["bootOrders", "hotplug", "nodeName", "tags", "vmId"],
]);

/** Works through secret marks, and leaves what is unknown alone. */
export function withDefaults(inputs: Values): Values {
  const filled: Values = { ...SCALARS, ...ALWAYS, ...inputs };
  for (const [block, defaults] of Object.entries(WHEN_GIVEN)) {
    const value = filled[block];
    if (value !== undefined) filled[block] = fill(value, defaults);
  }
  return filled;
}

function fill(value: Value, defaults: Values): Value {
  if (isSecret(value)) return { ...value, value: fill(value.value, defaults) };
  if (Array.isArray(value)) return value.map((item) => fill(item, defaults));
  if (!isObject(value) || isMarked(value) || isUnknown(value)) return value;
  const filled = { ...defaults, ...value };
  const speed = filled["speed"];
  if (isObject(speed) && !isSecret(speed)) filled["speed"] = { ...SPEED, ...speed };
  return filled;
}
