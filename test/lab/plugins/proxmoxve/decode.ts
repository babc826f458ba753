// What PVE holds (`GET …/config`, `GET …/status/current`) as a VM's properties.
// What PVE does not hold (timeouts, imports, what to do on destroy) is taken from `known`: inputs or state.

import { type Config, isCloudDrive, slots } from "./config.ts";
import { decodeCloud } from "./decode-cloud.ts";
import type { Disk, NetworkDevice, Vm } from "./defaults.ts";
import { gibibytes, parseOptions } from "./text.ts";

export function decodeVm(config: Config, known: Vm, vmId: number, running: boolean): Vm {
  const text = (key: string): string | undefined =>
    config[key] === undefined ? undefined : String(config[key]);
  const on = (key: string, otherwise: boolean): boolean =>
    config[key] === undefined ? otherwise : text(key) === "1";
  const description = (text("description") ?? "").trimEnd();
  const startup = parseOptions(text("startup") ?? "", "order");
  const initialization = decodeCloud(config, known.initialization, vmId);
  const devices = slots(config, /^net\d+$/).map(([, value]) => decodeNetwork(value));
  const serials = slots(config, /^serial\d$/).map(([, device]) => ({ device }));
  const tags = (text("tags") ?? "")
    .split(/[;,\s]+/)
    .filter(Boolean)
    .sort();
  return {
    ...known,
    acpi: on("acpi", true),
    agent: decodeAgent(text("agent"), known.agent),
    bios: text("bios") ?? "seabios",
    bootOrders: (parseOptions(text("boot") ?? "", "legacy")["order"] ?? "").split(";").filter(Boolean),
    cdrom: decodeCdrom(config, known.cdrom),
    cpu: decodeCpu(config, known.cpu),
    description: description === known.description.trim() ? known.description : description,
    disks: decodeDisks(config, known.disks, vmId),
    ...(text("hotplug") === undefined ? {} : { hotplug: text("hotplug") ?? "" }),
    ...(initialization === undefined ? {} : { initialization }),
    keyboardLayout: text("keyboard") ?? "en-us",
    kvmArguments: (text("args") ?? "").trim(),
    machine: text("machine") ?? "",
    memory: {
      dedicated: Number(config["memory"] ?? 512),
      // Without a balloon device PVE says nothing; 0 is how the provider says it.
      floating: Number(config["balloon"] ?? 0),
      hugepages: text("hugepages") ?? "",
      keepHugepages: on("keephugepages", false),
      shared: 0,
    },
    name: text("name") ?? "",
    ...(devices.length > 0 || known.networkDevices !== undefined ? { networkDevices: devices } : {}),
    onBoot: on("onboot", false),
    operatingSystem: { type: text("ostype") ?? "other" },
    protection: on("protection", false),
    scsiHardware: text("scsihw") ?? "lsi",
    serialDevices: serials,
    started: on("template", false) ? known.started : running,
    ...(text("startup") === undefined
      ? {}
      : {
          startup: {
            order: Number(startup["order"] ?? -1),
            upDelay: Number(startup["up"] ?? -1),
            downDelay: Number(startup["down"] ?? -1),
          },
        }),
    tabletDevice: on("tablet", true),
    ...(tags.length > 0 || known.tags !== undefined ? { tags } : {}),
    template: on("template", false),
    ...(text("vga") === undefined ? {} : { vga: decodeVga(text("vga") ?? "", known.vga) }),
    vmId,
  };
}

function decodeAgent(value: string | undefined, known: Vm["agent"]): Vm["agent"] {
  const { enabled, fstrim_cloned_disks: trim, type } = parseOptions(value ?? "", "enabled");
  return { ...known, enabled: enabled === "1", trim: trim === "1", type: type ?? "virtio" };
}

function decodeCdrom(config: Config, known: Vm["cdrom"]): Vm["cdrom"] {
  const value = config[known.interface];
  const file = parseOptions(String(value ?? "none"), "file")["file"] ?? "none";
  // An empty name is the drive with no disc in it, which PVE calls "cdrom".
  return { ...known, fileId: file === "cdrom" && known.fileId === "" ? "" : file };
}

function decodeCpu(config: Config, known: Vm["cpu"]): Vm["cpu"] {
  const emulation = parseOptions(String(config["cpu"] ?? "qemu64"), "cputype");
  const units = config["cpuunits"] ?? known.units;
  return {
    affinity: String(config["affinity"] ?? ""),
    architecture: String(config["arch"] ?? ""),
    cores: Number(config["cores"] ?? 1),
    flags: (emulation["flags"] ?? "").split(";").filter(Boolean),
    hotplugged: Number(config["vcpus"] ?? 0),
    limit: Number(config["cpulimit"] ?? 0),
    numa: String(config["numa"] ?? "0") === "1",
    sockets: Number(config["sockets"] ?? 1),
    type: emulation["cputype"] ?? "qemu64",
    ...(units === undefined ? {} : { units: Number(units) }),
  };
}

export function diskSlots(config: Config, vmId: number): [string, string][] {
  return slots(config, /^(scsi|virtio|sata|ide)\d+$/).filter(
    ([, value]) => !/(^|,)media=cdrom/.test(value) && !isCloudDrive(value, vmId),
  );
}

/** In the order of the program, then what is there besides. */
function decodeDisks(config: Config, known: readonly Disk[], vmId: number): Disk[] {
  const found = new Map(diskSlots(config, vmId));
  const order = [...known.map((disk) => disk.interface), ...found.keys()];
  return [...new Set(order)].flatMap((slot) => {
    const value = found.get(slot);
    return value === undefined
      ? []
      : [
          decodeDisk(
            slot,
            value,
            known.find((disk) => disk.interface === slot),
          ),
        ];
  });
}

function decodeDisk(slot: string, value: string, known: Disk | undefined): Disk {
  const options = parseOptions(value, "file");
  const volume = options["file"] ?? "";
  const at = volume.indexOf(":");
  const on = (name: string, otherwise: boolean): boolean =>
    (options[name] ?? String(Number(otherwise))) === "1";
  const speed = decodeSpeed(options);
  const format = options["format"] ?? known?.fileFormat;
  return {
    interface: slot,
    aio: options["aio"] ?? "io_uring",
    backup: on("backup", true),
    cache: options["cache"] ?? "none",
    datastoreId: volume.slice(0, Math.max(at, 0)),
    discard: options["discard"] ?? "ignore",
    importFrom: known?.importFrom ?? "",
    iothread: on("iothread", false),
    pathInDatastore: volume.slice(at + 1),
    queues: Number(options["queues"] ?? 0),
    replicate: on("replicate", true),
    serial: options["serial"] ?? "",
    size: gibibytes(options["size"]) || (known?.size ?? 0),
    ssd: on("ssd", false),
    ...(format === undefined ? {} : { fileFormat: format }),
    ...(speed === undefined ? {} : { speed }),
  };
}

function decodeSpeed(options: { readonly [name: string]: string }): Disk["speed"] {
  const names = {
    iopsRead: "iops_rd",
    iopsReadBurstable: "iops_rd_max",
    iopsWrite: "iops_wr",
    iopsWriteBurstable: "iops_wr_max",
    read: "mbps_rd",
    readBurstable: "mbps_rd_max",
    write: "mbps_wr",
    writeBurstable: "mbps_wr_max",
  };
  if (!Object.values(names).some((name) => name in options)) return undefined;
  const values = Object.entries(names).map(
    ([property, name]) => [property, Number(options[name] ?? 0)] as const,
  );
  return Object.fromEntries(values) as NonNullable<Disk["speed"]>;
}

const MODELS = ["virtio", "e1000", "e1000e", "rtl8139", "vmxnet3"];

function decodeNetwork(value: string): NetworkDevice {
  const options = parseOptions(value, "model");
  // PVE stores `virtio=MAC`, and takes `model=virtio,macaddr=MAC` too.
  const model = options["model"] ?? MODELS.find((name) => name in options) ?? "virtio";
  return {
    bridge: options["bridge"] ?? "",
    disconnected: options["link_down"] === "1",
    enabled: true,
    firewall: options["firewall"] === "1",
    macAddress: options["macaddr"] ?? options[model] ?? "",
    model,
    mtu: Number(options["mtu"] ?? 0),
    queues: Number(options["queues"] ?? 0),
    rateLimit: Number(options["rate"] ?? 0),
    trunks: options["trunks"] ?? "",
    vlanId: Number(options["tag"] ?? 0),
  };
}

function decodeVga(value: string, known: Vm["vga"]): NonNullable<Vm["vga"]> {
  const { type, memory, clipboard } = parseOptions(value, "type");
  return { type: type ?? "std", memory: Number(memory ?? known?.memory ?? 16), clipboard: clipboard ?? "" };
}
