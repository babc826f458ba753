import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Known, UNKNOWN } from "../content.ts";
import { mountsOf, readFstab } from "./mounts.ts";
import { readUnit } from "./unit.ts";

const mounts = (line: string) =>
  mountsOf({
    at: "x",
    words: line.split(" ").map((word): Known<string> => (word === "?" ? UNKNOWN : word)),
    environment: {},
  }).map(({ device, mountPoint, type }) => [device, mountPoint, type]);

describe("mountsOf", () => {
  it.each<[string, Known<string> | undefined, Known<string>, Known<string> | undefined]>([
    ["mount -t nfs srv:/x /opt/data", "srv:/x", "/opt/data", "nfs"],
    ["/bin/mount -tnfs -o ro,vers=4 srv:/x /opt/data", "srv:/x", "/opt/data", "nfs"],
    ["mount srv:/x /opt/data -vt nfs4", "srv:/x", "/opt/data", "nfs4"],
    ["mount --types=virtiofs --options rw share /opt/data", "share", "/opt/data", "virtiofs"],
    ["mount srv:/x /opt/data", "srv:/x", "/opt/data", "nfs"],
    ["mount -t auto //srv/x /opt/data", "//srv/x", "/opt/data", "cifs"],
    ["mount /dev/disk/by-id/scsi:1 /opt/data", "/dev/disk/by-id/scsi:1", "/opt/data", undefined],
    ["mount --source a --target b", "a", "b", undefined],
    ["mount -L data /opt/data", "LABEL=data", "/opt/data", undefined],
    ["mount UUID=1 /opt/data", "UUID=1", "/opt/data", undefined],
    ["mount /opt/data", undefined, "/opt/data", undefined],
    ["mount --bind /a /b", "/a", "/b", "none"],
    ["mount -o bind,ro /a /b", "/a", "/b", "none"],
    ["mount -B /a /b", "/a", "/b", "none"],
    ["mount ? /dev/sdb /opt/data", "/dev/sdb", "/opt/data", undefined],
    ["mount -t ? ? /opt/data", UNKNOWN, "/opt/data", UNKNOWN],
    ["mount.nfs srv:/x /opt/data -o ro", "srv:/x", "/opt/data", "nfs"],
    ["sshfs me@srv:/x /opt/data", "me@srv:/x", "/opt/data", "fuse.sshfs"],
    ["systemd-mount --collect -t nfs srv:/x /opt/data", "srv:/x", "/opt/data", "nfs"],
    ["podman volume create --opt type=nfs -o device=srv:/x data", "srv:/x", "data", "nfs"],
    ["docker volume create -d convoy data", undefined, "data", "convoy"],
    ["docker volume create --driver local --opt o=bind --opt device=/a data", "/a", "data", "none"],
  ])("reads: %s", (line, device, mountPoint, type) => {
    expect(mounts(line)).toEqual([[device, mountPoint, type]]);
  });

  it.each([
    "mount",
    "mount -a",
    "mount -l -t nfs",
    "umount /x",
    "podman volume create data",
    "podman volume create --driver local data",
    "podman volume ls",
    "echo mount a b",
  ])("finds nothing in: %s", (line) => {
    expect(mounts(line)).toEqual([]);
  });

  it("never throws", () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom<Known<string>>(UNKNOWN, "-t", "-o", "--source", "-", "volume", "create"),
    );
    fc.assert(
      fc.property(fc.constantFrom("mount", "podman"), fc.array(word), (program, words) => {
        mountsOf({ at: "x", words: [program, ...words], environment: {} });
      }),
    );
  });
});

describe("readFstab", () => {
  it("reads what is mounted, with escapes, and passes over comments and swap", () => {
    const text =
      "# a /b nfs\n\nsrv:/x\t/opt/my\\040data  nfs defaults 0 0\r\nLABEL=d /opt/data auto\n/swap none swap sw\nproc\n";
    expect(readFstab({ at: "fstab", text }).fileSystems).toEqual([
      { at: "fstab › /opt/my data", mountPoint: "/opt/my data", type: "nfs", device: "srv:/x" },
      { at: "fstab › /opt/data", mountPoint: "/opt/data", device: "LABEL=d" },
    ]);
  });

  it("reads a megabyte within three seconds of CPU time, and never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => void readFstab({ at: "x", text })));
    // Of the processor: other tests may run beside this one.
    const start = process.threadCpuUsage();
    readFstab({ at: "x", text: " ".repeat(2 ** 20) });
    readFstab({ at: "x", text: `${"\\".repeat(2 ** 20)} b` });
    readFstab({ at: "x", text: "a b c\n".repeat(2 ** 17) });
    expect(process.threadCpuUsage(start).user).toBeLessThan(3_000_000);
  });
});

describe("a mount unit", () => {
  const read = (text: string, path?: string) => readUnit({ at: "x", text, path }).fileSystems;

  it("says what is mounted where", () => {
    expect(read("[Mount]\nWhat=srv:/x\nWhere=/opt/data\nType=nfs\nOptions=ro")).toEqual([
      { at: "x › [Mount]", mountPoint: "/opt/data", type: "nfs", device: "srv:/x" },
    ]);
  });

  it("says by its path where, in a drop-in, too", () => {
    expect(read("[Mount]\nType=tmpfs", "/etc/systemd/system/opt-my\\x2ddata.mount.d/x.conf")).toEqual([
      { at: "x › [Mount]", mountPoint: "/opt/my-data", type: "tmpfs" },
    ]);
    expect(read("[Mount]\nType=tmpfs", "/etc/systemd/system/-.mount")?.[0]?.mountPoint).toBe("/");
    expect(read("[Mount]\nType=tmpfs")?.[0]?.mountPoint).toBe(UNKNOWN);
  });
});
