// The cloud-init part of a VM's configuration as `initialization`.

import { type Config, isCloudDrive, slots, volumeOf } from "./config.ts";
import type { Vm } from "./defaults.ts";
import { parseOptions } from "./text.ts";

export function decodeCloud(config: Config, known: Vm["initialization"], vmId: number): Vm["initialization"] {
  const drive = slots(config, /^(scsi|sata|ide)\d+$/).find(([, value]) => isCloudDrive(value, vmId));
  if (drive === undefined) return undefined;
  const text = (key: string): string | undefined =>
    config[key] === undefined ? undefined : String(config[key]);
  const volume = volumeOf(drive[1]);
  const addresses = slots(config, /^ipconfig\d+$/).map(([, value]) => {
    const { gw, gw6, ip, ip6 } = parseOptions(value, "ip");
    return {
      ...(ip || gw ? { ipv4: keep({ address: ip, gateway: gw }) } : {}),
      ...(ip6 || gw6 ? { ipv6: keep({ address: ip6, gateway: gw6 }) } : {}),
    };
  });
  const keys = text("sshkeys") === undefined ? [] : decodeURIComponent(text("sshkeys") ?? "").split("\n");
  const account = keep({
    keys: keys.map((key) => key.trim()).filter(Boolean),
    username: text("ciuser"),
    // PVE shows asterisks.
    password: text("cipassword") === undefined ? undefined : known?.userAccount?.password,
  });
  const files = parseOptions(text("cicustom") ?? "", "user");
  const servers = text("nameserver")?.split(/\s+/).filter(Boolean);
  const upgrade = text("ciupgrade");
  return keep({
    datastoreId: volume.slice(0, volume.indexOf(":")),
    interface: known?.interface === undefined ? undefined : drive[0],
    fileFormat: known?.fileFormat,
    dns: servers || text("searchdomain") ? keep({ domain: text("searchdomain"), servers }) : undefined,
    ipConfigs: addresses.length > 0 ? addresses : undefined,
    userAccount: Object.keys(account).length > 0 ? account : undefined,
    metaDataFileId: files["meta"],
    networkDataFileId: files["network"],
    userDataFileId: files["user"],
    vendorDataFileId: files["vendor"],
    type: text("citype"),
    upgrade: known?.upgrade === undefined || upgrade === undefined ? undefined : upgrade === "1",
  }) as NonNullable<Vm["initialization"]>;
}

/** Without what is undefined or an empty list. */
function keep<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
