// A VM's properties as parameters of `POST /nodes/NODE/qemu` and `PUT …/config`, in the order and the words
// of bpg/terraform-provider-proxmox (proxmox/nodes/vms).

import type { Params } from "./api.ts";
import type { Disk, NetworkDevice, Vm } from "./defaults.ts";
import { formatOptions } from "./text.ts";

type Group = {
  readonly params: (vm: Vm) => Params;
  /** Configuration keys that go when they are no longer wanted. */
  readonly owns?: RegExp;
  /** The change is real only after a restart. */
  readonly restart?: boolean;
};

const flag = (value: boolean): string => (value ? "1" : "0");
const some = (name: string, value: string | number | undefined): Params =>
  value === undefined || value === "" || value === 0 ? {} : { [name]: String(value) };
const numbered = <T>(name: string, items: readonly T[] | undefined, text: (item: T) => string): Params =>
  Object.fromEntries((items ?? []).map((item, index) => [`${name}${index}`, text(item)]));

/** By the property that they come from; disks are apart. */
export const GROUPS: { readonly [property: string]: Group } = {
  acpi: { params: ({ acpi }) => ({ acpi: flag(acpi) }), restart: true },
  agent: {
    params: ({ agent }) => ({
      agent: formatOptions({ enabled: agent.enabled, fstrim_cloned_disks: agent.trim, type: agent.type }),
    }),
    restart: true,
  },
  bios: { params: ({ bios }) => ({ bios }), restart: true },
  bootOrders: { params: (vm) => some("boot", bootOrder(vm)), restart: true },
  cdrom: { params: ({ cdrom }) => ({ [cdrom.interface]: `file=${cdrom.fileId || "cdrom"},media=cdrom` }) },
  cpu: { params: cpuParams, owns: /^(vcpus|cpulimit|affinity)$/, restart: true },
  description: { params: ({ description }) => ({ description: description.trim() }) },
  hotplug: { params: ({ hotplug }) => some("hotplug", hotplug), owns: /^hotplug$/ },
  initialization: { params: cloudParams, restart: true },
  keyboardLayout: { params: ({ keyboardLayout }) => ({ keyboard: keyboardLayout }), restart: true },
  kvmArguments: { params: ({ kvmArguments }) => some("args", kvmArguments), owns: /^args$/, restart: true },
  machine: { params: ({ machine }) => some("machine", machine), owns: /^machine$/, restart: true },
  memory: { params: memoryParams, owns: /^(keep)?hugepages$/, restart: true },
  name: { params: ({ name }) => some("name", name), owns: /^name$/ },
  networkDevices: {
    params: ({ networkDevices }) => numbered("net", networkDevices, networkText),
    owns: /^net\d+$/,
  },
  onBoot: { params: ({ onBoot }) => ({ onboot: flag(onBoot) }) },
  operatingSystem: { params: ({ operatingSystem }) => ({ ostype: operatingSystem.type }), restart: true },
  protection: { params: ({ protection }) => ({ protection: flag(protection) }) },
  scsiHardware: { params: ({ scsiHardware }) => ({ scsihw: scsiHardware }), restart: true },
  serialDevices: {
    params: ({ serialDevices }) => numbered("serial", serialDevices, ({ device }) => device),
    owns: /^serial\d+$/,
    restart: true,
  },
  startup: { params: ({ startup }) => some("startup", startupText(startup)), owns: /^startup$/ },
  tabletDevice: { params: ({ tabletDevice }) => ({ tablet: flag(tabletDevice) }), restart: true },
  tags: { params: ({ tags }) => some("tags", tagsText(tags)), owns: /^tags$/ },
  vga: { params: ({ vga }) => some("vga", vga && formatOptions({ ...vga })), restart: true },
};

export function createParams(vm: Vm, vmId: number): Params {
  const groups = Object.values(GROUPS).map(({ params }) => params(vm));
  const disks = Object.fromEntries(vm.disks.map((disk) => [disk.interface, diskText(disk)]));
  const cloud: Params = vm.initialization === undefined ? {} : { [cloudInterface(vm)]: cloudDrive(vm) };
  return Object.assign({ vmid: String(vmId) }, ...groups, disks, cloud);
}

export function cloudInterface({ initialization }: Vm): string {
  return initialization?.interface || "ide2";
}

function cloudDrive({ initialization }: Vm): string {
  return formatOptions({
    file: `${initialization?.datastoreId}:cloudinit`,
    format: initialization?.fileFormat,
  });
}

/** A new disk, or one that exists: given by path (another VM may own it) or as it is now. */
export function diskText(disk: Disk, existingVolume?: string): string {
  const { datastoreId, importFrom, interface: slot, pathInDatastore, size, speed } = disk;
  const volume =
    existingVolume ??
    (pathInDatastore ? [datastoreId, pathInDatastore].filter(Boolean).join(":") : undefined);
  const isNew = existingVolume === undefined;
  const imported = isNew && importFrom !== "" && volume === undefined;
  return formatOptions({
    file: volume ?? `${datastoreId}:${imported ? 0 : size}`,
    ...(isNew
      ? { "import-from": imported ? importFrom : "", format: disk.fileFormat, size: size * 2 ** 30 }
      : {}),
    aio: disk.aio,
    backup: disk.backup,
    iops_rd: speed?.iopsRead || undefined,
    iops_wr: speed?.iopsWrite || undefined,
    iops_rd_max: speed?.iopsReadBurstable || undefined,
    iops_wr_max: speed?.iopsWriteBurstable || undefined,
    iothread: /^(sata|ide)/.test(slot) ? undefined : disk.iothread,
    queues: disk.queues || undefined,
    serial: disk.serial,
    ssd: slot.startsWith("virtio") ? undefined : disk.ssd,
    discard: disk.discard,
    cache: disk.cache,
    mbps_rd: speed?.read || undefined,
    mbps_rd_max: speed?.readBurstable || undefined,
    mbps_wr: speed?.write || undefined,
    mbps_wr_max: speed?.writeBurstable || undefined,
    replicate: disk.replicate,
  });
}

function networkText(device: NetworkDevice): string {
  const { bridge, disconnected, firewall, macAddress, model, mtu, queues, rateLimit, trunks, vlanId } =
    device;
  return formatOptions({
    model,
    bridge,
    firewall,
    link_down: disconnected || undefined,
    macaddr: macAddress,
    queues: queues || undefined,
    rate: rateLimit || undefined,
    tag: vlanId || undefined,
    mtu: mtu || undefined,
    trunks,
  });
}

function bootOrder({ bootOrders, cdrom, disks, networkDevices }: Vm): string {
  const slots = new Set(disks.map((disk) => disk.interface));
  const found = ["ide0", "sata0", "scsi0", "virtio0"].filter((slot) => slots.has(slot));
  const order = bootOrders?.length
    ? bootOrders
    : [cdrom.interface, ...found, ...(networkDevices?.length ? ["net0"] : [])];
  return `order=${order.join(";")}`;
}

function cpuParams({ cpu }: Vm): Params {
  const { affinity, architecture, cores, flags, hotplugged, limit, numa, sockets, type, units } = cpu;
  return {
    cores: String(cores),
    sockets: String(sockets),
    numa: flag(numa),
    cpu: flags.length > 0 ? `cputype=${type},flags=${flags.join(";")}` : type,
    ...some("arch", architecture),
    ...some("vcpus", hotplugged),
    ...some("cpulimit", limit),
    ...some("cpuunits", units),
    ...some("affinity", affinity),
  };
}

function memoryParams({ memory }: Vm): Params {
  const { dedicated, floating, hugepages, keepHugepages } = memory;
  const keep: Params = keepHugepages ? { keephugepages: "1" } : {};
  return { memory: String(dedicated), balloon: String(floating), ...some("hugepages", hugepages), ...keep };
}

function cloudParams({ initialization }: Vm): Params {
  if (initialization === undefined) return {};
  const { dns, ipConfigs, userAccount, upgrade, type } = initialization;
  const {
    metaDataFileId: meta,
    networkDataFileId: network,
    userDataFileId: user,
    vendorDataFileId: vendor,
  } = initialization;
  // PVE decodes the keys once more: they are percent-encoded inside the form.
  const keys = userAccount?.keys?.length ? encodeURIComponent(userAccount.keys.join("\n")) : undefined;
  return {
    ...some("cicustom", formatOptions({ meta, network, user, vendor })),
    ...numbered("ipconfig", ipConfigs, ({ ipv4, ipv6 }) =>
      formatOptions({ gw: ipv4?.gateway, gw6: ipv6?.gateway, ip: ipv4?.address, ip6: ipv6?.address }),
    ),
    ...some("nameserver", dns?.servers?.join(" ")),
    ...some("searchdomain", dns?.domain),
    ...some("ciuser", userAccount?.username),
    ...some("cipassword", userAccount?.password),
    ...some("sshkeys", keys),
    ...some("citype", type),
    ...(upgrade === undefined ? {} : { ciupgrade: flag(upgrade) }),
  };
}

function startupText(startup: Vm["startup"]): string | undefined {
  if (startup === undefined) return undefined;
  const set = (value: number): number | undefined => (value >= 0 ? value : undefined);
  return formatOptions({ order: set(startup.order), up: set(startup.upDelay), down: set(startup.downDelay) });
}

export function tagsText(tags: readonly string[] | undefined): string {
  return [...(tags ?? [])]
    .map((tag) => tag.trim())
    .filter(Boolean)
    .sort()
    .join(";");
}
