import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Created, findOne, registered } from "../../../test/support/mocks.ts";
import { shippedSettings } from "../../../test/support/settings.ts";
import type { Settings } from "../../config/schema.ts";
import { HermesContainer } from "../../container/hermes-container.ts";
import { HermesGuest } from "../hermes-guest.ts";

const COMMAND = "command:remote:Command";
const TOOL = "/var/lib/hermes-microvm/guests/vm-hermes/bin/hermes-microvm";
const FILES = [
  "machine.nix",
  "users.nix",
  "tailscale.nix",
  "container.nix",
  "probe.nix",
  "hermes-probe",
  "flake.nix",
];

function deploy(change: (settings: Settings) => Settings = (settings) => settings): Promise<Created[]> {
  const { guest, admin, ssh, container, readyTimeoutSeconds } = change(shippedSettings("chopper"));
  return registered(() => {
    const machine = new HermesGuest("guest", { ...guest, admin, ssh });
    const hermes = new HermesContainer("hermes", { ...container, readyTimeoutSeconds });
    machine.install(hermes.part);
    machine.activate(hermes.readiness);
  });
}

const withGuest = (more: object) => (settings: Settings) =>
  ({ ...settings, guest: { ...settings.guest, ...more } }) as Settings;

const command = (created: readonly Created[], name: string) =>
  findOne(created, COMMAND, name).inputs as Readonly<Record<string, string>>;

const digest = (text: string | undefined) =>
  createHash("sha256")
    .update(text ?? "")
    .digest("hex");

/** Names of what differs between two deployments. */
function changed(before: readonly Created[], after: readonly Created[]): string[] {
  const text = (created: readonly Created[]) =>
    new Map(created.map((resource) => [resource.name, JSON.stringify(resource)]));
  const [olds, news] = [text(before), text(after)];
  return [...new Set([...olds.keys(), ...news.keys()])]
    .filter((name) => olds.get(name) !== news.get(name))
    .toSorted();
}

describe("HermesGuest on a NixOS host", () => {
  it("stages each file of the flake by a command of its own, with its digest, its text on stdin", async () => {
    const created = await deploy();
    for (const file of FILES) {
      const { create, update, stdin } = command(created, `guest-${file}`);
      expect(create).toBe(`sudo -n ${TOOL} stage vm-hermes ${file} ${digest(stdin)}`);
      expect(update).toBe(create);
      expect(stdin?.length).toBeGreaterThan(50);
    }
    expect(created.filter(({ type }) => type === COMMAND)).toHaveLength(FILES.length + 2);
  });

  it("activates exactly the files that were staged, and says what the host has to check", async () => {
    const created = await deploy();
    const { create, stdin = "" } = command(created, "guest-activate");
    expect(create).toBe(`sudo -n ${TOOL} activate vm-hermes`);
    const images = "/var/lib/hermes-microvm/guests/vm-hermes/images";
    expect(stdin.trimEnd().split("\n")).toEqual([
      ...FILES.map((file) => `file ${file} ${digest(command(created, `guest-${file}`)["stdin"])} 1`),
      `image ${images}/state.img 1024 persistent`,
      "image containers.img 32768 disposable",
      `image ${images}/hermes.img 32768 persistent`,
      "ssh vsock/4",
      "mac 02:00:00:00:20:02",
      "tap vm-hermes",
      "cid 4",
      "autostart required",
      "unit hermes.service",
      "timeout 600",
      "end",
    ]);
  });

  it("names in the flake the modules that were staged, and no others", async () => {
    const flake = command(await deploy(), "guest-flake.nix")["stdin"] ?? "";
    const modules = [...flake.matchAll(/^ +\.\/(\S+)$/gm)].map(([, name]) => name);
    expect(modules).toEqual(FILES.filter((file) => file.endsWith(".nix") && file !== "flake.nix"));
  });

  it("pins every connection to the key that the configuration gives for the host", async () => {
    const commands = (await deploy()).filter(({ type }) => type === COMMAND);
    expect(commands.length).toBeGreaterThan(0);
    for (const { inputs } of commands) {
      expect(plain(inputs["connection"])).toMatchObject({
        host: "chopper",
        user: "mhelton",
        hostKey: `ssh-ed25519 ${"H".repeat(68)}`,
      });
    }
  });

  it("changes one file, the activation and the record when the number of processors changes", async () => {
    const names = changed(await deploy(), await deploy(withGuest({ vcpus: 6 })));
    expect(names).toEqual(["guest", "guest-activate", "guest-machine.nix", "guest-record"]);
  });

  it("changes nothing on the host when a label changes", async () => {
    const names = changed(await deploy(), await deploy(withGuest({ labels: { owner: "somebody" } })));
    expect(names).toEqual(["guest"]);
  });

  it("changes the container's file and no other when the image changes", async () => {
    const image = "docker.io/nousresearch/hermes-agent:v2026.8.31";
    const after = await deploy((s) => ({ ...s, container: { ...s.container, image } }));
    const names = changed(await deploy(), after);
    expect(names).toEqual(["guest-activate", "guest-container.nix", "guest-record", "hermes"]);
  });

  it("stages no file for a tailnet that is not wanted, and its flake does not name one", async () => {
    const created = await deploy(withGuest({ tailscale: undefined, credentialFiles: {} }));
    expect(created.map(({ name }) => name)).not.toContain("guest-tailscale.nix");
    expect(command(created, "guest-flake.nix")["stdin"]).not.toContain("tailscale");
  });

  it("keeps the images at a destroy unless the configuration says in words that they may go", async () => {
    const remove = async (onDestroy: string) =>
      command(await deploy(withGuest({ onDestroy })), "guest-tool")["delete"];
    expect(await remove("keep-data")).toContain(`then ${TOOL} destroy vm-hermes keep-data; fi`);
    expect(await remove("refuse")).toContain(`then ${TOOL} destroy vm-hermes keep-data; fi`);
    expect(await remove("delete-data")).toContain(`then ${TOOL} destroy vm-hermes delete-data; fi`);
  });

  it("removes a guest whose first activation failed, too: only the tool has a delete", async () => {
    const commands = (await deploy()).filter(({ type }) => type === COMMAND);
    expect(commands.flatMap(({ name, inputs }) => (inputs["delete"] ? [name] : []))).toEqual(["guest-tool"]);
  });

  it("asks the host for a way to a guest under cloud-hypervisor that it has", async () => {
    const other = { hypervisor: "cloud-hypervisor", tailscale: undefined, credentialFiles: {} };
    const { stdin } = command(await deploy(withGuest(other)), "guest-activate");
    expect(stdin).toContain("\nssh vsock-mux/var/lib/microvms/vm-hermes/notify.vsock\n");
  });

  it("records what was activated: name, disks and the digest of each file", async () => {
    const created = await deploy();
    const { inputs } = findOne(created, "pulumi-nodejs:dynamic/hermes:MicrovmRecord", "guest-record");
    expect(inputs).toMatchObject({
      hostname: "vm-hermes",
      disks: [{ name: "state" }, {}, { name: "hermes" }],
    });
    const files = FILES.map((file) => [file, digest(command(created, `guest-${file}`)["stdin"])]);
    expect(inputs["files"]).toEqual(Object.fromEntries(files));
  });

  it("gives the guest's own host key, which the host has learnt", async () => {
    const { guest, admin, ssh, container } = shippedSettings("chopper");
    let key: string | undefined;
    await registered(() => {
      const machine = new HermesGuest("guest", { ...guest, admin, ssh });
      const hermes = new HermesContainer("hermes", { ...container, readyTimeoutSeconds: 60 });
      machine.install(hermes.part);
      machine.activate(hermes.readiness);
      machine.hostKey.apply((value) => {
        key = value;
      });
    });
    expect(key).toBe(`ssh-ed25519 ${"G".repeat(68)}`);
  });

  it("refuses a part that has no form for NixOS", async () => {
    const { guest, admin, ssh } = shippedSettings("chopper");
    const part = { name: "proxy", packages: [], images: [], files: [], units: [] };
    await expect(
      registered(() => new HermesGuest("guest", { ...guest, admin, ssh }).install(part)),
    ).rejects.toThrow("the part proxy has no form for NixOS");
  });

  it("refuses to connect to a host whose key it was not given", async () => {
    const { guest, admin, ssh } = shippedSettings("chopper");
    if (ssh === undefined) throw new Error("the shipped stack has ssh");
    const { hostKey: _, ...unpinned } = ssh;
    await expect(
      registered(() => new HermesGuest("guest", { ...guest, admin, ssh: unpinned })),
    ).rejects.toThrow("host, user and hostKey of the NixOS host");
  });
});

/** A secret as mocks get it, without its wrapping. */
function plain(value: unknown): unknown {
  const wrapped = value as { value?: unknown } | undefined;
  return wrapped !== undefined && typeof wrapped === "object" && "value" in wrapped ? wrapped.value : value;
}
