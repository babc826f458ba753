import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTime } from "../../scripts/setup/processes.ts";
import { SshMachine } from "../lab/chopper/ssh-machine.ts";
import { Deploys } from "../lab/deploys.ts";
import { guestStatus } from "../lab/guest-status.ts";
import { tagRegistry } from "../lab/images/registry.ts";
import { GUEST, Lab, type Stack } from "../lab/lab.ts";
import { prepare } from "../lab/prepare.ts";
import { commandTests, commandTestsOnDebian } from "./command-tests.ts";
import { showConsoleOfFailures } from "./console.ts";
import { hermesAnswers } from "./hermes-answers.ts";

/** Tests in order on one lab: each stands on what the one before it left. */
const NAME = "docker.io/nousresearch/hermes-agent";
const TAG = "v2026.7.20";
// The same bits under a second tag: what is tested is the change of the tag.
const NEXT_TAG = "v2026.7.20.1";
const NODE = "pve-sbx-1";

let lab: Lab;
let stack: Stack;
let deploys: Deploys;

beforeAll(async () => {
  await prepare();
  await tagRegistry(TAG, NEXT_TAG);
  lab = await Lab.open("test");
  await lab.down();
  lab = await Lab.open("test");
  await lab.up();
  stack = await lab.stack();
  deploys = new Deploys(stack);
});

showConsoleOfFailures(() => lab);

afterAll(async () => {
  if (process.env["HERMES_KEEP_LAB"] === undefined) await lab?.down();
});

async function inGuest(command: string, seconds = 60): Promise<string> {
  const { code, out, err } = await lab.api.exec(GUEST, ["sh", "-c", command], seconds);
  if (code !== 0) throw new Error(`\`${command}\` failed in the guest with ${code}: ${err}`);
  return out;
}

/** VMIDs on the cluster without the holder of the data disk. */
async function machines(): Promise<number[]> {
  const found = (await lab.api.call("GET", "/cluster/resources?type=vm")) as { vmid: number }[];
  return found.map(({ vmid }) => vmid).filter((vmid) => vmid !== 211);
}

const logins = () =>
  inGuest("journalctl --no-pager -u ssh | grep -c 'Accepted publickey' || true").then(Number);
const container = (format: string) =>
  inGuest(`podman inspect hermes --format '${format}'`).then((text) => text.trim());

describe("the pve-sbx stack in the lab", () => {
  it("a wrong API token ends with Proxmox's answer and where to set it, and nothing is made", async () => {
    deploys.edit(["proxmoxve:apiToken"], undefined);
    stack.run(
      ["config", "set", "--secret", "proxmoxve:apiToken"],
      "hermes@pve!deploy=00000000-0000-0000-0000",
    );
    const output = await deploys.up("failure");
    expect(output).toMatch(/401/);
    expect(output).toContain("proxmoxve:apiToken");
    expect(await machines()).toEqual([]);
    stack.run(["config", "set", "--secret", "proxmoxve:apiToken"], lab.token);
  });

  it("a VMID that is taken is named, and what holds it is left alone", async () => {
    await lab.api.call("POST", `/nodes/${NODE}/qemu`, { vmid: 210, name: "somebody-elses", memory: 512 });
    await expect.poll(machines).toEqual([210]);
    const output = await deploys.up("failure");
    expect(output).toMatch(/VM 210 already exists/);
    expect(await lab.api.call("GET", `${GUEST}/config`)).toMatchObject({ name: "somebody-elses" });
    await lab.api.task(NODE, await lab.api.call("DELETE", GUEST));
  });

  it("`up` puts a Hermes 0.19.0 into a virtual machine, and its dashboard answers", async () => {
    const output = await deploys.up();
    expect(output).toMatch(/\+ .*created/);
    expect(stack.outputs()).toMatchObject({
      version: "0.19.0",
      image: `${NAME}:${TAG}`,
      address: "10.32.21.110",
    });
    expect(await guestStatus(lab)).toMatchObject({ version: "0.19.0", image: { name: `${NAME}:${TAG}` } });
  });

  it("the guest is what the stack file says: address, disks, processors, memory, serial console, agent", async () => {
    expect(await inGuest("ip -4 -o addr show scope global")).toContain("10.32.21.110/24");
    expect(await inGuest("ip route show default")).toContain("via 10.32.21.1");
    expect(await inGuest("nproc")).toBe("4\n");
    expect(await inGuest("hostname")).toBe("vm-hermes\n");
    expect(Number(await inGuest("df --output=size -BG / | tail -1 | tr -dc 0-9"))).toBeGreaterThanOrEqual(30);
    expect(await inGuest("findmnt -no SOURCE,FSTYPE /var/lib/hermes")).toMatch(/^\/dev\/sd[a-z]\s+ext4/);
    expect(await inGuest("readlink -f /dev/disk/by-id/hermes-data")).toBe(
      await inGuest("findmnt -no SOURCE /var/lib/hermes"),
    );
  });

  it("the container runs the pinned image with host networking on the data disk", async () => {
    expect(await container("{{.ImageName}}")).toBe(`${NAME}:${TAG}`);
    expect(await container("{{.HostConfig.NetworkMode}}")).toBe("host");
    expect(await container("{{range .Mounts}}{{.Source}}:{{.Destination}}{{end}}")).toBe(
      "/var/lib/hermes:/opt/data",
    );
    expect(await inGuest("systemctl is-enabled hermes.service || true")).toMatch(/generated|enabled/);
  });

  it("nothing but SSH listens beyond the guest's loopback", async () => {
    const listening = await inGuest("ss -Hltn | awk '{print $4}'");
    const open = listening.split("\n").filter((line) => line !== "" && !/^(127\.|\[::1\])/.test(line));
    for (const socket of open) expect(socket).toMatch(/:22$/);
    expect(listening).toContain("127.0.0.1:9119");
  });

  const where = () => {
    const { hostKey = "", user = "", address = "" } = stack.outputs();
    return { guest: new SshMachine(lab.sshArgs({ hostKey, user, address })), user };
  };
  commandTests(where);
  commandTestsOnDebian(where);

  it("a second `up` reports no changes and opens no SSH connection", async () => {
    const before = await logins();
    const { status, output } = await deploys.pulumi(
      "up",
      "--yes",
      "--policy-pack",
      "policy",
      "--expect-no-changes",
    );
    expect(output).toMatch(/\d+ unchanged/);
    expect(status).toBe(0);
    expect(await logins()).toBe(before);
    expect(before).toBeGreaterThan(0);
  });

  it("a refresh finds no difference, and neither does a preview after it", async () => {
    const refresh = await deploys.pulumi("refresh", "--yes", "--expect-no-changes");
    expect(refresh.output).toMatch(/unchanged/);
    expect(refresh.status).toBe(0);
    const preview = await deploys.pulumi("preview", "--expect-no-changes");
    expect(preview.output).toMatch(/unchanged/);
    expect(preview.status).toBe(0);
  });

  it("no secret stands in the state, in the output, or in what the guest was given", async () => {
    const key = readFileSync(join(lab.folder, "deploy-key"), "utf8").split("\n")[2] ?? "";
    const token = lab.token.split("=")[1] ?? "";
    expect(key.length).toBeGreaterThan(40);
    const [state, preview] = [stack.export(), await deploys.pulumi("preview", "--diff")];
    expect(state).toContain("guest-activate");
    expect(preview.status).toBe(0);
    const shown = state + preview.output;
    const given = await inGuest("cat /var/lib/cloud/instance/*.txt /var/lib/hermes-guest/*/*.json; env");
    for (const secret of [key, token]) {
      expect(shown).not.toContain(secret);
      expect(given).not.toContain(secret);
    }
  });

  it("a file in /opt/data and Hermes itself are there after a reboot of the guest", async () => {
    await inGuest("podman exec hermes sh -c 'echo remember > /opt/data/canary && sync /opt/data/canary'");
    const bootId = await inGuest("cat /proc/sys/kernel/random/boot_id");
    await lab.api.task(NODE, await lab.api.call("POST", `${GUEST}/status/reboot`), 300);
    await hermesAnswers(lab, 400);
    expect(await inGuest("cat /proc/sys/kernel/random/boot_id")).not.toBe(bootId);
    expect(await inGuest("podman exec hermes cat /opt/data/canary")).toBe("remember\n");
  });

  it("an edited image tag is an update in place: one part, one activation, one restart", async () => {
    deploys.edit(["hermes:container", "image"], `${NAME}:${NEXT_TAG}`);
    deploys.edit(["hermes:container", "environment", "MOTTO"], "100% of $HOME");
    const preview = (await deploys.pulumi("preview")).output;
    // The component itself, whose args changed, its part, and the activation.
    expect(preview).toMatch(/~ 3 to update/);
    expect(preview).not.toMatch(/to replace|to create|to delete/);
    const [before, started] = [await logins(), await container("{{.State.StartedAt}}")];
    await deploys.up();
    expect(await container("{{.ImageName}}")).toBe(`${NAME}:${NEXT_TAG}`);
    expect(await container("{{.State.StartedAt}}")).not.toBe(started);
    expect(await inGuest("systemctl show -P NRestarts hermes.service")).toBe("0\n");
    expect(await inGuest("podman exec hermes printenv MOTTO")).toBe("100% of $HOME\n");
    expect((await logins()) - before).toBe(2);
  });

  it("an image tag that does not exist is named, and what ran goes on running", async () => {
    const started = await container("{{.State.StartedAt}}");
    deploys.edit(["hermes:container", "image"], `${NAME}:v2099.1.1`);
    const output = await deploys.up("failure");
    expect(output).toContain(`${NAME}:v2099.1.1`);
    expect(output).toMatch(/hermes:container\.image/);
    expect(await container("{{.State.StartedAt}}")).toBe(started);
    expect(await guestStatus(lab)).toMatchObject({
      version: "0.19.0",
      image: { name: `${NAME}:${NEXT_TAG}` },
    });
  });

  it("a version that does not start fails the deploy with its last words, and the previous one comes back", async () => {
    deploys.edit(["hermes:container", "image"], `${NAME}:${TAG}`);
    deploys.edit(["hermes:container", "command"], ["gateway", "no-such-command"]);
    const output = await deploys.up("failure");
    expect(output).toMatch(/no-such-command/);
    expect(output).toMatch(/previous version \(0\.19\.0\) is back/);
    await hermesAnswers(lab, 60);
    expect(await container("{{.ImageName}}")).toBe(`${NAME}:${NEXT_TAG}`);
  });

  it("going back to the configuration of before activates it again", async () => {
    deploys.edit(["hermes:container", "image"], `${NAME}:${NEXT_TAG}`);
    deploys.edit(["hermes:container", "command"], ["gateway", "run"]);
    const before = await logins();
    await deploys.up();
    expect((await logins()) - before).toBe(2);
    expect(await guestStatus(lab)).toMatchObject({
      version: "0.19.0",
      image: { name: `${NAME}:${NEXT_TAG}` },
    });
    expect(await inGuest("podman exec hermes cat /opt/data/canary")).toBe("remember\n");
  });

  it("`destroy` is refused as the stack is shipped, and everything stays", async () => {
    const { status, output } = await deploys.pulumi("destroy", "--yes");
    expect(output).toMatch(/protect/);
    expect(status).not.toBe(0);
    await hermesAnswers(lab, 60);
  });

  it("with onDestroy: keep-data a destroy takes the guest and leaves the data disk", async () => {
    deploys.edit(["hermes:guest", "onDestroy"], "keep-data");
    await deploys.up();
    const { status, output } = await deploys.pulumi("destroy", "--yes", "--exclude-protected");
    expect(output).toMatch(/deleted/);
    expect(status).toBe(0);
    await expect(lab.api.call("GET", `${GUEST}/config`)).rejects.toThrow();
    const volume = join(lab.folder, "pve", "volumes", "local-lvm");
    const data = ["vm-211-disk-0", "vm-211-disk-0.raw"]
      .map((name) => join(volume, name))
      .find((file) => existsSync(file));
    expect(data).toBeDefined();
    expect(statSync(data ?? "").blocks).toBeGreaterThan(0);
  });

  it("a new guest on the kept disk finds Hermes' data again", async () => {
    deploys.edit(["hermes:guest", "onDestroy"], "refuse");
    await deploys.up();
    await hermesAnswers(lab, 60);
    expect(await inGuest("podman exec hermes cat /opt/data/canary")).toBe("remember\n");
  });

  it("`down` ends every process and removes the lab", async () => {
    const [machine] = lab.machines();
    expect(machine).toBeDefined();
    const ended = await lab.down();
    expect(ended.length).toBe(3);
    expect(startTime(machine ?? 0)).toBeUndefined();
    expect(existsSync(lab.folder)).toBe(false);
  });
});
