import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Created, findOne, registered } from "../../test/support/mocks.ts";
import { shippedSettings } from "../../test/support/settings.ts";
import type { Settings } from "../config/schema.ts";
import { HermesContainer } from "../container/hermes-container.ts";
import { HermesGuest } from "./hermes-guest.ts";

const VM = "proxmoxve:index/vmLegacy:VmLegacy";
const COMMAND = "command:remote:Command";

function deploy(change: (settings: Settings) => Settings = (settings) => settings): Promise<Created[]> {
  const { guest, admin, ssh, container, readyTimeoutSeconds } = change(shippedSettings("pve-sbx"));
  return registered(() => {
    const machine = new HermesGuest("guest", { ...guest, admin, ssh });
    const hermes = new HermesContainer("hermes", { ...container, readyTimeoutSeconds });
    machine.install(hermes.part);
    machine.activate(hermes.readiness);
  });
}

describe("HermesGuest on Proxmox", () => {
  it("describes the VM as the cluster's conventions want it", async () => {
    const { inputs } = findOne(await deploy(), VM, "guest-vm");
    expect(inputs).toMatchObject({
      nodeName: "pve-sbx-1",
      vmId: 210,
      name: "vm-hermes",
      tags: ["app", "hermes", "vlan21"],
      onBoot: true,
      protection: true,
      deleteUnreferencedDisksOnDestroy: false,
      rebootAfterUpdate: false,
      agent: { enabled: true },
      cpu: { cores: 4, type: "x86-64-v2-AES" },
      memory: { dedicated: 8192 },
      networkDevices: [{ bridge: "vmbr0", vlanId: 21, firewall: true }],
      serialDevices: [{ device: "socket" }],
      initialization: {
        ipConfigs: [{ ipv4: { address: "10.32.21.110/24", gateway: "10.32.21.1" } }],
        vendorDataFileId: "library-pve:snippets/hermes.yaml",
      },
    });
    expect(inputs["description"]).toMatch(
      /Owner: kelchm.*Class: app, hermes, vlan21.*daily-backups.*10\.32\.21\.110/s,
    );
  });

  it("keeps the data disk in a VM of its own and attaches it by serial", async () => {
    const created = await deploy();
    const holder = findOne(created, VM, "guest-data").inputs;
    expect(holder).toMatchObject({ vmId: 211, started: false, onBoot: false, protection: true });
    expect(holder["disks"]).toMatchObject([{ interface: "scsi0", size: 32, backup: false }]);
    expect(findOne(created, VM, "guest-vm").inputs["disks"]).toMatchObject([
      { interface: "scsi0", importFrom: "guest-image-id", size: 32 },
      { interface: "scsi1", pathInDatastore: "vm-211-disk-0", serial: "hermes-data", size: 32 },
    ]);
  });

  it("lets Proxmox delete only what onDestroy names", async () => {
    const protections = async (onDestroy: "keep-data" | "delete-data") => {
      const created = await deploy((s) => ({ ...s, guest: { ...s.guest, onDestroy } }) as Settings);
      return ["guest-vm", "guest-data"].map((name) => findOne(created, VM, name).inputs["protection"]);
    };
    expect(await protections("keep-data")).toEqual([false, true]);
    expect(await protections("delete-data")).toEqual([false, false]);
  });

  it("pins every connection to the host key that the guest agent gave", async () => {
    const commands = (await deploy()).filter(({ type }) => type === COMMAND);
    expect(commands).toHaveLength(5);
    for (const { inputs } of commands) {
      expect(plain(inputs["connection"])).toMatchObject({ hostKey: `ssh-ed25519 ${"B".repeat(68)}` });
    }
  });

  it("takes a host key from the configuration instead, and then asks no agent", async () => {
    const hostKey = `ssh-ed25519 ${"C".repeat(68)}`;
    const created = await deploy((s) => ({ ...s, guest: { ...s.guest, hostKey } }) as Settings);
    expect(created.filter(({ type }) => type.includes("GuestHostKey"))).toEqual([]);
    expect(plain(findOne(created, COMMAND, "guest-tool").inputs["connection"])).toMatchObject({ hostKey });
  });

  it("sends parts on stdin, and their content stands in no command", async () => {
    const created = await deploy();
    const { inputs } = findOne(created, COMMAND, "guest-container");
    expect(inputs["create"]).toBe("sudo -n /usr/local/lib/hermes-guest/hermes-guest stage container");
    expect(inputs["update"]).toBe(inputs["create"]);
    expect(inputs["delete"]).toBe("sudo -n /usr/local/lib/hermes-guest/hermes-guest remove container");
    expect(JSON.parse(inputs["stdin"] as string)).toMatchObject({
      images: ["docker.io/nousresearch/hermes-agent:v2026.7.20"],
      files: [{ path: "/etc/containers/systemd/hermes.container", mode: "0644" }],
      units: [{ name: "hermes.service", enable: false }],
    });
  });

  it("activates exactly the parts that were staged, in order, by digest", async () => {
    const created = await deploy();
    const activation = JSON.parse(findOne(created, COMMAND, "guest-activate").inputs["stdin"] as string);
    const digest = (name: string) =>
      createHash("sha256")
        .update(findOne(created, COMMAND, name).inputs["stdin"] as string)
        .digest("hex");
    expect(activation.parts).toEqual([
      { name: "resolver", digest: digest("guest-resolver"), revision: 1 },
      { name: "data-disk", digest: digest("guest-data-disk"), revision: 1 },
      { name: "container", digest: digest("guest-container"), revision: 1 },
    ]);
    expect(activation.ready).toEqual({
      unit: "hermes.service",
      url: "http://127.0.0.1:9119/api/status",
      timeoutSeconds: 600,
    });
  });

  it("changes one part and the activation when the image changes, nothing else", async () => {
    const image = "docker.io/nousresearch/hermes-agent:v2026.8.31";
    const [before, after] = [
      await deploy(),
      await deploy((s) => ({ ...s, container: { ...s.container, image } })),
    ];
    const changed = after.filter(
      (resource, index) => JSON.stringify(resource) !== JSON.stringify(before[index]),
    );
    expect(changed.map(({ name }) => name).toSorted()).toEqual([
      "guest-activate",
      "guest-container",
      "hermes",
    ]);
  });

  it("shows its args to policies, the deploy key as a secret", async () => {
    const { inputs } = findOne(await deploy(), "hermes:index:HermesGuest", "guest");
    expect(inputs).toMatchObject({ kind: "proxmox", vmId: 210, placement: { cleared: false } });
    expect(JSON.stringify(inputs["ssh"])).toContain("4dabf18193072939515e22adb298388d");
  });
});

/** A secret as mocks get it, without its wrapping. */
function plain(value: unknown): unknown {
  const wrapped = value as { value?: unknown } | undefined;
  return wrapped !== undefined && typeof wrapped === "object" && "value" in wrapped ? wrapped.value : value;
}
