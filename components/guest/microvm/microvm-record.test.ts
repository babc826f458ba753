import { describe, expect, it } from "vitest";
import { recordProvider } from "./microvm-record.ts";

type Inputs = Parameters<NonNullable<ReturnType<typeof recordProvider>["check"]>>[1];

const provider = recordProvider();
const disk = (name: string, sizeMiB: number, more: object = {}) => ({
  name,
  mountPoint: `/var/lib/${name}`,
  sizeMiB,
  persistent: true,
  ...more,
});
const inputs = (more: Partial<Inputs> = {}): Inputs => ({
  hostname: "vm-hermes",
  host: { name: "chopper", key: "ssh-ed25519 A" },
  disks: [disk("hermes", 32768), disk("containers", 32768, { persistent: false })],
  files: { "machine.nix": "a", "container.nix": "b" },
  ...more,
});

async function check(
  olds: Inputs | undefined,
  news: Inputs,
): Promise<{ effect?: string; reasons: string[] }> {
  const result = await provider.check?.(olds as Inputs, news);
  const { effect } = (result?.inputs ?? {}) as Inputs;
  const reasons = (result?.failures ?? []).map(({ reason }) => reason);
  return { reasons, ...(effect === undefined ? {} : { effect }) };
}

describe("MicrovmRecord", () => {
  it("tells of a guest that is new that it will be built", async () => {
    for (const olds of [undefined, {} as Inputs]) {
      expect(await check(olds, inputs())).toEqual({
        reasons: [],
        effect: "vm-hermes will be built, started, and waited for",
      });
    }
  });

  it("tells of a changed file that it means a rebuild with restart", async () => {
    const files = { "machine.nix": "c", "container.nix": "b" };
    expect((await check(inputs(), inputs({ files }))).effect).toMatch(
      /^vm-hermes: a rebuild with restart, since machine\.nix will change/,
    );
  });

  it("tells of files that come and go, too", async () => {
    const files = { "machine.nix": "a", "tailscale.nix": "d" };
    expect((await check(inputs(), inputs({ files }))).effect).toContain("container.nix, tailscale.nix");
  });

  it("tells nothing when nothing of the guest changes, whatever it told the last time", async () => {
    expect(await check(inputs({ effect: "built" }), inputs())).toEqual({ reasons: [] });
  });

  it("refuses another size of an image, with the way to it", async () => {
    for (const size of [32767, 65536]) {
      const { reasons } = await check(inputs(), inputs({ disks: [disk("hermes", size)] }));
      expect(reasons).toHaveLength(1);
      expect(reasons[0]).toContain(`sizeMiB was 32768 and cannot become ${size}: images are never resized`);
      expect(reasons[0]?.includes("grownFromMiB: 32768")).toBe(size > 32768);
    }
  });

  it("refuses it for an image that does not last, too", async () => {
    const disks = [disk("hermes", 32768), disk("containers", 4096, { persistent: false })];
    const { reasons } = await check(inputs(), inputs({ disks }));
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toContain("give the disk another name");
  });

  it("allows another size when a person has grown the image from the size that is on record", async () => {
    const grown = (from: number) => [
      disk("hermes", 65536, { grownFromMiB: from }),
      disk("containers", 32768, { persistent: false }),
    ];
    expect((await check(inputs(), inputs({ disks: grown(32768) }))).reasons).toEqual([]);
    expect((await check(inputs(), inputs({ disks: grown(16384) }))).reasons).toHaveLength(1);
  });

  it("refuses to lose a persistent disk, and lets one go that holds nothing to keep", async () => {
    const [hermes, containers] = inputs().disks;
    expect((await check(inputs(), inputs({ disks: containers ? [containers] : [] }))).reasons[0]).toContain(
      "hermes:guest.disks (hermes) is missing",
    );
    expect((await check(inputs(), inputs({ disks: hermes ? [hermes] : [] }))).reasons).toEqual([]);
  });

  it("refuses another disk where a persistent one was mounted, by a swap or by a new one", async () => {
    const old = inputs({ disks: [disk("hermes", 32768), disk("logs", 1024)] });
    const swapped = [
      disk("hermes", 32768, { mountPoint: "/var/lib/logs" }),
      disk("logs", 1024, { mountPoint: "/var/lib/hermes" }),
    ];
    expect((await check(old, inputs({ disks: swapped }))).reasons[0]).toContain(
      "hermes:guest.disks (hermes): /var/lib/hermes would be the disk logs",
    );
    const moved = [
      disk("hermes", 32768, { mountPoint: "/mnt/old" }),
      disk("fresh", 32768, { mountPoint: "/var/lib/hermes" }),
      disk("logs", 1024),
    ];
    expect((await check(old, inputs({ disks: moved }))).reasons[0]).toContain("would be the disk fresh");
  });

  it("refuses to move an image between the folders of what lasts and what does not", async () => {
    const disks = [disk("hermes", 32768, { persistent: false })];
    expect((await check(inputs(), inputs({ disks }))).reasons[0]).toContain("cannot become false");
  });

  it("refuses another hostname, with which the data would stay behind", async () => {
    const { reasons } = await check(inputs(), inputs({ hostname: "vm-agent" }));
    expect(reasons[0]).toContain("hermes:guest.hostname was vm-hermes and cannot become vm-agent");
  });

  it("refuses another host, where the guest would start on nothing beside the old one", async () => {
    const other = (name: string, key: string) => check(inputs(), inputs({ host: { name, key } }));
    expect((await other("ripley", "ssh-ed25519 B")).reasons[0]).toContain(
      "hermes:ssh.host was chopper and cannot become ripley",
    );
    expect((await other("chopper.example.org", "ssh-ed25519 A")).reasons).toEqual([]);
    expect((await other("chopper", "ssh-ed25519 B")).reasons).toEqual([]);
  });

  it("keeps what is in force, and not what it told", async () => {
    const news = inputs({ effect: "a rebuild" });
    expect((await provider.create(news)).outs).toEqual(inputs());
    expect((await provider.update?.("vm-hermes", inputs(), news))?.outs).toEqual(inputs());
    const same = await provider.diff?.("vm-hermes", inputs(), news);
    const other = await provider.diff?.("vm-hermes", inputs(), inputs({ files: {} }));
    expect([same?.changes, other?.changes]).toEqual([false, true]);
  });
});
