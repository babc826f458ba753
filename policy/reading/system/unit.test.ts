import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dataDiskPart, quietResolverPart } from "../../../components/render/debian.ts";
import { UNKNOWN } from "../content.ts";
import { readUnit } from "./unit.ts";

const read = (text: string, path?: string) => readUnit({ at: "file", text, path });
const commands = (text: string) => read(text).commands?.map(({ words }) => words);
const service = (text: string) => commands(`[Service]\n${text}`);

describe("readUnit", () => {
  it("gives every assignment as a setting, repeated ones and those taken back as well", () => {
    expect(read("[Unit]\nAfter=a\nAfter=\nAfter=100%% %n\n").settings).toEqual([
      { at: "file › After", path: ["Unit", "After"], value: "a" },
      { at: "file › After", path: ["Unit", "After"], value: "" },
      { at: "file › After", path: ["Unit", "After"], value: "100% %n" },
    ]);
  });

  it("gives the variables of Environment= one by one, too", () => {
    expect(read('[Service]\nEnvironment=A=1 "B=2 3" C').settings?.slice(1)).toEqual([
      { at: "file › Environment", path: ["Service", "Environment", "A"], value: "1" },
      { at: "file › Environment", path: ["Service", "Environment", "B"], value: "2 3" },
      { at: "file › Environment", path: ["Service", "Environment", "C"], value: UNKNOWN },
    ]);
  });

  it("gives only settings of an INI that is no unit, word for word", () => {
    expect(read("top=1\n[server]\nExecStart=/bin/a\nrate=5%%\n")).toEqual({
      settings: [
        { at: "file › top", path: ["top"], value: "1" },
        { at: "file › ExecStart", path: ["server", "ExecStart"], value: "/bin/a" },
        { at: "file › rate", path: ["server", "rate"], value: "5%%" },
      ],
      commands: [],
      launches: [],
      fileSystems: [],
    });
  });

  it("reads the project's own units", () => {
    const parts = [
      dataDiskPart({ serial: "hermes-data", mountPoint: "/var/lib/hermes" }),
      quietResolverPart(),
    ];
    const contents = parts.flatMap(({ files }) =>
      files.filter(({ path }) => !path.endsWith(".rules")).map(({ content, path }) => read(content, path)),
    );
    expect(contents.flatMap(({ commands: found }) => found?.map(({ words }) => words[0]) ?? [])).toEqual([
      "/usr/bin/udevadm",
      "/usr/bin/udevadm",
      "/usr/lib/systemd/systemd-makefs",
      "/usr/lib/systemd/systemd-growfs",
    ]);
    expect(contents.flatMap(({ fileSystems }) => fileSystems ?? [])).toEqual([
      {
        at: "file › [Mount]",
        mountPoint: "/var/lib/hermes",
        type: "ext4",
        device: "/dev/disk/by-id/hermes-data",
      },
    ]);
  });
});

describe("commands of a unit", () => {
  it("are those of every Exec key and section, with the unit's variables", () => {
    expect(
      read(
        "[Service]\nEnvironment=A=1\nExecStart=/bin/a b\nExecStopPost=/bin/c\n[Socket]\nExecStartPre=/bin/d",
      ).commands,
    ).toEqual([
      { at: "file › ExecStart", words: ["/bin/a", "b"], environment: { A: "1" } },
      { at: "file › ExecStopPost", words: ["/bin/c"], environment: { A: "1" } },
      { at: "file › ExecStartPre", words: ["/bin/d"], environment: {} },
    ]);
  });

  it("are only those in force", () => {
    expect(service("ExecStart=/bin/old\nExecStart=\nExecStart=/bin/new")).toEqual([["/bin/new"]]);
  });

  it("end at a bare semicolon, not at a quoted or escaped one", () => {
    expect(service("ExecStart=/bin/a ; /bin/b ';' \\; x;y ;")).toEqual([
      ["/bin/a"],
      ["/bin/b", ";", ";", "x;y"],
    ]);
  });

  it("lose prefixes, and the name after an @", () => {
    expect(service("ExecStart=-+!!/bin/a b")).toEqual([["/bin/a", "b"]]);
    expect(service("ExecStart=@-/bin/a a b")).toEqual([["/bin/a", "b"]]);
    expect(service("ExecStart=|/bin/a b")).toEqual([["/bin/a", "b"]]);
  });

  it("are read under both names when the program is called by another", () => {
    expect(service("ExecStart=@/bin/busybox sh -c x")).toEqual([
      ["/bin/busybox", "-c", "x"],
      ["sh", "-c", "x"],
    ]);
  });

  it("have variables put in, unless a colon stands before them", () => {
    expect(service("Environment=A=1\nExecStart=/bin/a $" + "{A} $" + "{B} $$A 5%%")).toEqual([
      ["/bin/a", "1", UNKNOWN, "$A", "5%"],
    ]);
    expect(service("Environment=A=1\nExecStart=:/bin/a $A $$A")).toEqual([["/bin/a", "$A", "$$A"]]);
  });

  it("are none for keys that only begin like them, nor in other sections", () => {
    expect(
      commands("[Service]\nExecSearchPath=/bin\nexecstart=/bin/a\nExecStart=-\n[Unit]\nExecStart=/bin/a"),
    ).toEqual([]);
  });
});

describe("hostile units", () => {
  const anything = fc.array(
    fc.oneof(
      { arbitrary: fc.string(), weight: 1 },
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          "\n",
          "\n[Service]\n",
          "\n[Container]\n",
          "\n[Volume]\n",
          "\n[Mount]\n",
          "\n__proto__=",
          "\nEnvironment=__proto__=1",
          "\nExecStart=",
          "\nPodmanArgs=",
          "\nVolume=",
          "\nMount=",
          "\nImage=",
          "\nGlobalArgs=",
          "run",
          '"',
          "\\",
          "$" + "{",
          "--",
          "-v",
          ":",
          "%",
        ),
      },
    ),
    { maxLength: 40 },
  );

  it("never make it throw", () => {
    const heads = fc.constantFrom("", "[Service]\n", "[Container]\n", "[Volume]\n", "[Mount]\n");
    fc.assert(
      fc.property(heads, anything, (head, parts) => {
        read(head + parts.join(" "), "/x/a.volume.d/b.conf");
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ["braces", "[Service]\nExecStart=/a ", "$" + "{"],
    ["quotes", "[Service]\nExecStart=/a ", '"a'],
    ["backslashes", "[Service]\nExecStart=/a ", "\\"],
    ["semicolons", "[Service]\nExecStart=/a ", "; a "],
    ["continued lines", "[Container]\nExec=", "a\\\n"],
    ["keys", "[Container]\n", "Volume=a:/b\nEnvironment=a=b c=d\n"],
    ["resets", "[Service]\n", "ExecStart=/a\nExecStart=\n"],
    ["images", "[Container]\nPodmanArgs=--nosuch ", "a/b "],
    ["unknown options", "[Container]\nPodmanArgs=", "--nosuch a "],
    ["short options", "[Container]\nPodmanArgs=-", "it"],
    ["unknown words", "[Container]\nPodmanArgs=", "$X a:b "],
    ["global arguments", "[Container]\nGlobalArgs=", "$X container "],
    ["mount fields", "[Container]\nMount=", 'a",'],
    ["sections", "", "[Container]\n"],
    ["blanks", "[Service]", "\n \t "],
  ])("of a megabyte of %s are read within a second", (_, head, piece) => {
    const text = head + piece.repeat(2 ** 20 / piece.length);
    // Of the processor: other tests may run beside this one.
    const start = process.threadCpuUsage();
    read(text);
    expect(process.threadCpuUsage(start).user).toBeLessThan(3_000_000);
  });
});

describe("specifiers of a template", () => {
  const line = (value: string, path = "x@.service") =>
    readUnit({ at: "unit", path, text: `[Service]\nExecStart=${value}\n` }).commands?.map(
      ({ words }) => words,
    );

  it.each(["%i", "%I", "%j", "%J", "a-%i", "%%%i"])("make a word unknown: %s", (word) => {
    expect(line(`/usr/bin/tailscale ${word} 443`)).toEqual([["/usr/bin/tailscale", UNKNOWN, "443"]]);
    expect(line(`:/usr/bin/tailscale ${word} 443`)).toEqual([["/usr/bin/tailscale", UNKNOWN, "443"]]);
    expect(line(`/usr/bin/${word} funnel`)).toEqual([[UNKNOWN, "funnel"]]);
  });

  it.each([
    ["%%i", "%i"],
    ["%n", "%n"],
    ["100%", "100%"],
  ])("and others do not: %s", (word, read) => {
    expect(line(`/usr/bin/tailscale ${word}`)).toEqual([["/usr/bin/tailscale", read]]);
  });
});
