/** Capabilities with which a container's root is root outside of it, or takes down the guest's firewall. */
const CAPABILITIES =
  /^(all|unknown|(cap_)?(sys_admin|sys_module|sys_ptrace|sys_rawio|sys_boot|dac_read_search|bpf|net_admin))$/i;
/** Memory and disks of the machine. */
const DEVICES =
  /^\/dev(\/((k?mem|port|md|loop|sg)\d*|(sd|vd|hd|xvd|nvme|mmcblk|dm-)\w*|(mapper|disk)(\/.*)?))?$/;
/** Keys of Quadlet units with the option that they stand for (podman-systemd.unit(5)). */
const KEYS: Readonly<Record<string, string>> = {
  AddCapability: "cap-add",
  AddDevice: "device",
  UserNS: "userns",
  SecurityLabelDisable: "privileged",
  SecurityLabelType: "security-opt",
  AppArmor: "security-opt",
  SeccompProfile: "security-opt",
  Unmask: "unmask",
};

/**
 * Whether an option of podman-run(1) or docker-run(1), or a key of a Quadlet unit, gives a container the machine, or
 * most of it. Without a value, an option that needs one has one that only the running shell knows.
 */
export function breaksOut(privilege: string): boolean {
  const [, key = "", given] = /^(?:--)?([^=]*)(?:=(.*))?$/s.exec(privilege) ?? [];
  const value = given ?? "unknown";
  switch (Object.hasOwn(KEYS, key) ? KEYS[key] : key) {
    case "privileged":
    case "use-api-socket":
    case "unmask":
      return !/^(0|f|false|no|off)$/i.test(value);
    case "pid":
    case "userns":
      return /^(host|ns:|unknown)/.test(value);
    case "cap-add":
      return value.split(/[\s,]+/).some((capability) => CAPABILITIES.test(capability));
    case "device":
      return value === "unknown" || DEVICES.test(value.split(":")[0] ?? "");
    case "device-cgroup-rule":
      // Character devices but the one of memory are terminals and the like.
      return !/^c (?!1:)/.test(value);
    case "security-opt":
      return /unconfined|disable|unmask|spc_t|^unknown/.test(value);
    default:
      return false;
  }
}
