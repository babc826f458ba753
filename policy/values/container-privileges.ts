/** What a switch of podman and docker takes for false (Go's strconv.ParseBool, of which the rest is not in use). */
const SWITCHED_ON = /^(?!(0|f|false)$)/i;
/** Of the machine's own processes or users; `ns:/proc/1/ns/pid` is that by another name. */
const HOST = /^(host|ns:)/;
/** With these a container's root is root outside of it, or takes down the guest's firewall. */
const CAPABILITY =
  /(^|,)(all|unknown|(cap_)?(sys_admin|sys_module|sys_ptrace|sys_rawio|sys_boot|dac_read_search|bpf|net_admin))(,|$)/i;
/** All but devices without memory or disks behind them. `vendor.com/class=name` is a device of CDI, such as a GPU. */
const DEVICE =
  /^(unknown|-?\/(?!dev\/(fuse|dri|snd|net\/tun|kvm|null|zero|full|u?random|video\d+|tty(USB|ACM)\d+|nvidia[\w-]*|kfd|bus\/usb)(\/[\w-]+)*(:|$)))/;
/** All but character devices; of those, the ones of memory have the number 1. */
const DEVICE_RULE = /^(?!c (?!1:))/;
/** spc_t is SELinux's type for containers without confinement; unmask shows what of /proc is hidden. */
const SECURITY = /unconfined|disable|unmask|spc_t/;

/** Options of podman-run(1) and docker-run(1), and keys of Quadlet units (podman-systemd.unit(5)), with what is too much. */
const TOO_MUCH: ReadonlyMap<string, RegExp> = new Map([
  ["privileged", SWITCHED_ON],
  ["use-api-socket", SWITCHED_ON],
  ["pid", HOST],
  ["userns", HOST],
  ["UserNS", HOST],
  ["cap-add", CAPABILITY],
  ["AddCapability", CAPABILITY],
  ["device", DEVICE],
  ["AddDevice", DEVICE],
  ["device-cgroup-rule", DEVICE_RULE],
  ["security-opt", SECURITY],
  ["SecurityLabelDisable", SWITCHED_ON],
  ["SecurityLabelType", SECURITY],
  ["AppArmor", SECURITY],
  ["SeccompProfile", SECURITY],
  ["Unmask", SWITCHED_ON],
]);

/**
 * Whether `--option=value` or a Quadlet unit's `Key=value` gives a container the machine, or most of it. Without a
 * value, an option that needs one has one that only the running shell knows.
 */
export function breaksOut(privilege: string): boolean {
  const option = privilege.replace(/=.*/s, "");
  const value = privilege.slice(option.length + 1) || "unknown";
  const name = option.startsWith("--") ? option.slice(2) : option;
  return TOO_MUCH.get(name)?.test(value) ?? false;
}
