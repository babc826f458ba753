import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Guest, linkOf, type Result, SHELLS, TEXT, UNIT } from "./guest.ts";

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

describe.each(SHELLS.map((shell) => ({ shell, name: shell.join(" ") })))("under $name", ({ shell }) => {
  let guest: Guest;
  beforeEach(() => {
    guest = new Guest(shell);
  });
  afterEach(() => guest.remove());

  const succeeds = async (result: Promise<Result>): Promise<string> => {
    const { status, stderr } = await result;
    expect(status, stderr).toBe(0);
    return stderr;
  };
  /** One line, with the prefix, and status 1. */
  const fails = async (result: Promise<Result>, says: string | RegExp): Promise<void> => {
    const { status, stderr } = await result;
    expect(stderr).toMatch(/^hermes-host-users: [^\n]*\n$/);
    expect(stderr).toMatch(says);
    expect(status).toBe(1);
  };
  const refusesUntouched = async (result: Promise<Result>, says: string | RegExp): Promise<void> => {
    const before = guest.seen;
    await fails(result, says);
    expect(guest.seen).toEqual(before);
    expect(existsSync(guest.record)).toBe(false);
  };
  const realHome = (content = "mine"): void => {
    mkdirSync(guest.home(".hermes"));
    writeFileSync(guest.home(".hermes/config.yaml"), content);
  };

  describe("the arguments:", () => {
    const given = (changes: Readonly<Record<string, string>>): readonly string[] =>
      Object.entries({
        "--unit": UNIT,
        "--state": guest.state,
        "--gid": "10000",
        "--metadata": guest.metadata,
        ...changes,
      }).flat();

    test.each([
      ["--unit", "../x.service", /--unit \.\.\/x\.service: expected a unit such as/],
      ["--unit", "hermes", /--unit hermes: expected a unit/],
      ["--state", "lib/hermes", /--state lib\/hermes: expected an absolute path/],
      ["--state", "/var/lib/../etc", /--state \/var\/lib\/\.\.\/etc: expected/],
      ["--state", "/", /--state \/: expected/],
      ["--state", "", /--state : expected/],
      ["--gid", "0", /--gid 0: expected a number from 1 to 999999999/],
      ["--gid", "1e4", /--gid 1e4: expected/],
      ["--metadata", "/etc/a b", /--metadata \/etc\/a b: expected an absolute path/],
    ])("%s %s is refused by name, with what is allowed", async (name, value, says) => {
      await refusesUntouched(guest.run(["apply", ...given({ [name]: value }), "alice"]), says);
    });

    test.each(["-rf", "--help", "../x", "a b", "", "alice\nbob", "a/b", "a:b", "$(id)", "x".repeat(33)])(
      "a user called %j is refused before anything is done",
      async (name) => {
        await refusesUntouched(
          guest.apply(["alice", name]),
          /user ".*": expected at most 32 letters.*hermes:hostUsers/,
        );
      },
    );

    test("one that is missing, given twice or without a value is refused, and so is an unknown command", async () => {
      for (const name of ["--unit", "--state", "--gid", "--metadata"]) {
        const at = given({}).indexOf(name);
        await refusesUntouched(guest.run(["apply", ...given({}).toSpliced(at, 2)]), `${name}: missing`);
      }
      await refusesUntouched(guest.run(["apply", ...given({}), "--gid", "5"]), "--gid 5: given twice");
      await refusesUntouched(guest.run(["apply", "--unit"]), "--unit: expected a value");
      await refusesUntouched(guest.run(["remove", ...given({})]), 'command "remove": expected apply or stop');
      await refusesUntouched(guest.run([]), "expected apply or stop");
      for (const more of [["--gid", "10000"], ["--declared"], ["alice"]]) {
        const { "--gid": _, ...rest } = { "--gid": "", "--unit": UNIT, "--state": guest.state };
        const stop = ["stop", ...Object.entries({ ...rest, "--metadata": guest.metadata }).flat(), ...more];
        await refusesUntouched(guest.run(stop), "stop: has --gid, --declared or users");
      }
    });

    test("metadata that is missing, empty or too large is refused", async () => {
      writeFileSync(guest.metadata, "");
      await fails(guest.apply(["alice"]), /--metadata .*: has 0 bytes; expected 1 to 65536/);
      writeFileSync(guest.metadata, "x".repeat(65_537));
      await fails(guest.apply(["alice"]), /has 65537 bytes/);
      rmSync(guest.metadata);
      await fails(guest.apply(["alice"]), /expected a file that is there/);
      expect(guest.link).toBe(undefined);
    });
  });

  describe("the group:", () => {
    test("it is made with the gid of the container's files", async () => {
      await succeeds(guest.apply(["alice"]));
      expect(guest.changes).toContain("root / groupadd --system --gid 10000 hermes");
      expect(guest.group).toBe("hermes:x:10000:alice");
    });

    test("one that is there with this gid is used, and is not removed", async () => {
      guest.set("group", "hermes:x:10000:\n");
      await succeeds(guest.apply(["alice"]));
      expect(guest.group).toBe("hermes:x:10000:alice");
      await succeeds(guest.stop());
      expect(guest.group).toBe("hermes:x:10000:");
    });

    test("with another gid it is an error, and is not changed", async () => {
      guest.set("group", "hermes:x:990:\n");
      await fails(
        guest.apply(["alice"]),
        /--gid 10000: group hermes is there with gid 990.*remove or renumber it/,
      );
      expect([guest.group, guest.link]).toEqual(["hermes:x:990:", undefined]);
    });

    test("a gid that another group has is an error, and nothing is changed", async () => {
      guest.set("group", "builders:x:10000:\n");
      await fails(guest.apply(["alice"]), /--gid 10000: group builders has this gid.*groupmod/);
      expect([guest.told("group"), guest.link]).toEqual(["builders:x:10000:\n", undefined]);
    });

    test("that cannot be made, or not be asked for, is an error with the reason, on one line", async () => {
      guest.set("groupadd-fails");
      await fails(guest.apply(["alice"]), "(groupadd: cannot lock /etc/group; try again later.)");
      guest.set("getent-fails");
      await fails(guest.apply(["alice"]), "`getent group hermes` failed with status 3");
      expect(guest.link).toBe(undefined);
    });

    test("one that others are in stays on removal, and says so", async () => {
      await succeeds(guest.apply(["alice"]));
      guest.set("group", "hermes:x:10000:alice,carol\n");
      guest.addAccount("dave:x:1003:10000::/home/dave:/bin/sh");
      expect(await succeeds(guest.stop())).toContain("group hermes stays, as others are in it: carol,dave");
      expect(guest.group).toBe("hermes:x:10000:carol");
    });

    test("declared, it is checked and nothing about it is changed", async () => {
      guest.declared = true;
      await fails(
        guest.apply(["alice"]),
        /--declared: this system has no group hermes.*users\.groups\.hermes\.gid = 10000/,
      );
      guest.set("group", "hermes:x:10000:bob\n");
      await fails(
        guest.apply(["alice", "bob"]),
        /user alice: --declared, but not in group hermes.*extraGroups/,
      );
      expect(linkOf(guest.home(".hermes", "bob"))).toBe(guest.state);
      guest.set("group", "hermes:x:10000:bob,alice\n");
      expect(await succeeds(guest.apply(["alice", "bob"]))).toBe("");
      await succeeds(guest.stop());
      expect([guest.told("group"), guest.link]).toEqual(["hermes:x:10000:bob,alice\n", undefined]);
    });
  });

  describe("the users:", () => {
    test("who were members before stay members, by list or by their own group", async () => {
      guest.set("group", "hermes:x:10000:alice\n");
      guest.addAccount(`erin:x:1004:10000::${guest.home("", "bob")}:/bin/sh`);
      expect(await succeeds(guest.apply(["alice", "erin"]))).toBe("");
      expect(guest.group).toBe("hermes:x:10000:alice");
      await succeeds(guest.stop());
      expect(guest.group).toBe("hermes:x:10000:alice");
    });

    test("one who is missing, root, or without a home is an error, and the others are done", async () => {
      guest.addAccount("toor:x:0:0::/root:/bin/sh");
      guest.addAccount("nohome:x:1005:1005:::/bin/sh");
      guest.addAccount("slash:x:1006:1006::/:/bin/sh");
      guest.addAccount("gone:x:1007:1007::/nonexistent:/bin/sh");
      const { status, stderr } = await guest.apply([
        "root",
        "toor",
        "ghost",
        "nohome",
        "slash",
        "gone",
        "alice",
      ]);
      expect(status).toBe(1);
      expect(stderr).toMatch(/user root: is root \(uid 0\)/);
      expect(stderr).toMatch(/user toor: is root \(uid 0\)/);
      expect(stderr).toMatch(/user ghost: this guest has no such account.*hermes:hostUsers/);
      expect(stderr).toMatch(/user nohome: the account's home is "".*usermod --home/);
      expect(stderr).toMatch(/user slash: the account's home is "\/"/);
      expect(stderr).toMatch(/user gone: \/nonexistent cannot be read as this user/);
      expect(guest.link).toBe(guest.state);
      expect(guest.mode).toBe(TEXT);
    });

    test("one who cannot be added is an error with the reason on the same line, and gets the link", async () => {
      guest.set("gpasswd-fails");
      await fails(
        guest.apply(["alice"]),
        "added to group hermes (gpasswd: cannot lock /etc/group; try again later.)",
      );
      expect(guest.link).toBe(guest.state);
      guest.unset("gpasswd-fails");
      await succeeds(guest.apply(["alice"]));
      expect(guest.group).toBe("hermes:x:10000:alice");
    });

    test("one who is named twice is done once", async () => {
      await succeeds(guest.apply(["alice", "alice"]));
      expect(guest.group).toBe("hermes:x:10000:alice");
    });

    test("one who is no longer named gets everything back, and the others keep what they have", async () => {
      realHome();
      await succeeds(guest.apply(["alice", "bob"]));
      await succeeds(guest.apply(["bob"]));
      expect(readFileSync(guest.home(".hermes/config.yaml"), "utf8")).toBe("mine");
      expect([guest.asides, guest.group]).toEqual([[], "hermes:x:10000:bob"]);
      expect(linkOf(guest.home(".hermes", "bob"))).toBe(guest.state);
      expect(readdirSync(join(guest.record, "users"))).toEqual(["bob"]);
    });

    test("one whose account is gone is forgotten without a word", async () => {
      await succeeds(guest.apply(["alice", "bob"]));
      guest.removeAccount("alice");
      guest.set("group", "hermes:x:10000:bob\n");
      expect(await succeeds(guest.apply(["bob"]))).toBe("");
      expect(readdirSync(join(guest.record, "users"))).toEqual(["bob"]);
    });

    test("one whose home cannot be read stays recorded, and is done by the next run", async () => {
      await succeeds(guest.apply(["alice", "bob"]));
      guest.set("runuser-fails.alice");
      await fails(
        guest.apply(["bob"]),
        /user alice: .*cannot be read as this user \(cd: \?\[31mInput\/output error\)/,
      );
      guest.unset("runuser-fails.alice");
      await succeeds(guest.apply(["bob"]));
      expect([guest.link, guest.group]).toEqual([undefined, "hermes:x:10000:bob"]);
    });

    test("without any user all is taken back, and nothing is made", async () => {
      realHome();
      const before = guest.seen;
      await succeeds(guest.apply([]));
      expect(guest.seen).toEqual(before);
      await succeeds(guest.apply(["alice"]));
      rmSync(guest.metadata);
      await succeeds(guest.apply([]));
      expect(guest.seen).toEqual(before);
    });
  });

  describe("a home:", () => {
    test("gets a link to the state folder, made by its user", async () => {
      await succeeds(guest.apply(["alice"]));
      expect(guest.link).toBe(guest.state);
      expect(guest.changes).toContain(
        `alice ${guest.home("").replace(/\/$/, "")} ln -sT ${guest.state} .hermes`,
      );
    });

    test("root changes nothing in it, nor in the state folder but the folder's group", async () => {
      realHome();
      mkdirSync(guest.inState("sessions"));
      const touched: string[] = [];
      for (const run of [() => guest.apply(["alice", "bob"]), () => guest.stop()]) {
        await succeeds(run());
        touched.push(...guest.changes);
      }
      const places = [join(guest.folder, "home"), guest.state];
      const byRoot = touched.filter(
        (line) => line.startsWith("root ") && places.some((place) => line.includes(place)),
      );
      expect(byRoot).toEqual([`root / chown -h :10000 -- ${guest.state}`]);
      expect(touched.filter((line) => line.startsWith("root ") && !line.startsWith("root / "))).toEqual([]);
    });

    test("with the link already keeps it, also on removal", async () => {
      symlinkSync(guest.state, guest.home(".hermes"));
      await succeeds(guest.apply(["alice"]));
      await succeeds(guest.stop());
      expect(guest.link).toBe(guest.state);
    });

    test("with a link that leads to the folder on another way keeps that", async () => {
      symlinkSync("../../lib/hermes", guest.home(".hermes"));
      await succeeds(guest.apply(["alice"]));
      expect([guest.link, guest.asides]).toEqual(["../../lib/hermes", []]);
      await succeeds(guest.stop());
      expect(guest.link).toBe("../../lib/hermes");
    });

    test.each(["folder", "file", "link", "dangling link"])(
      "with a real %s has it kept aside with the date, and back on removal",
      async (kind) => {
        if (kind === "folder") realHome();
        else if (kind === "file") writeFileSync(guest.home(".hermes"), "mine");
        else symlinkSync(kind === "link" ? "/etc" : "/nonexistent", guest.home(".hermes"));
        const before = guest.seen;
        const said = await succeeds(guest.apply(["alice"]));
        expect(guest.asides).toEqual([expect.stringMatching(/^\.hermes\.before-hermes-\d{4}-\d\d-\d\d$/)]);
        expect(said).toContain(`is kept as ${guest.home(guest.asides[0] ?? "")}\n`);
        expect(guest.link).toBe(guest.state);
        await succeeds(guest.stop());
        expect(guest.seen).toEqual(before);
      },
    );

    test("with the aside's name taken has a number appended", async () => {
      realHome();
      const name = `.hermes.before-hermes-${new Date().toISOString().slice(0, 10)}`;
      writeFileSync(guest.home(name), "older");
      symlinkSync("/nonexistent", guest.home(`${name}-2`));
      await succeeds(guest.apply(["alice"]));
      expect(readFileSync(guest.home(`${name}-3/config.yaml`), "utf8")).toBe("mine");
      await succeeds(guest.stop());
      expect(guest.asides).toEqual([name, `${name}-2`]);
      expect(readFileSync(guest.home(".hermes/config.yaml"), "utf8")).toBe("mine");
    });

    test("whose link the user has replaced is left alone on removal, and the aside stays, with a line that says so", async () => {
      realHome();
      await succeeds(guest.apply(["alice"]));
      rmSync(guest.home(".hermes"));
      writeFileSync(guest.home(".hermes"), "newer");
      const said = await succeeds(guest.stop());
      expect(said).toMatch(
        /user alice: .*is left alone; what was there before stays as .*\.hermes\.before-hermes-/,
      );
      expect(readFileSync(guest.home(".hermes"), "utf8")).toBe("newer");
      expect(guest.asides.length).toBe(1);
      expect(guest.group).toBe("");
    });

    test("whose link the user has replaced gets it again, and both of theirs are kept", async () => {
      realHome("first");
      await succeeds(guest.apply(["alice"]));
      rmSync(guest.home(".hermes"));
      realHome("second");
      expect(await succeeds(guest.apply(["alice"]))).toContain("stays, as");
      expect([guest.link, guest.asides.length]).toEqual([guest.state, 2]);
      await succeeds(guest.stop());
      expect(readFileSync(guest.home(".hermes/config.yaml"), "utf8")).toBe("second");
      expect(readFileSync(guest.home(`${guest.asides[0]}/config.yaml`), "utf8")).toBe("first");
    });

    test("whose link the user has removed has the aside back on removal", async () => {
      realHome();
      await succeeds(guest.apply(["alice"]));
      rmSync(guest.home(".hermes"));
      await succeeds(guest.stop());
      expect(readFileSync(guest.home(".hermes/config.yaml"), "utf8")).toBe("mine");
    });

    test("with a planted ~/.hermes or aside leads nobody out of it", async () => {
      const outside = join(guest.folder, "outside");
      mkdirSync(outside);
      const name = `.hermes.before-hermes-${new Date().toISOString().slice(0, 10)}`;
      symlinkSync(outside, guest.home(".hermes"));
      symlinkSync(outside, guest.home(name));
      await succeeds(guest.apply(["alice"]));
      // Put in the place of the aside while the link is in force.
      rmSync(guest.home(`${name}-2`));
      symlinkSync("../../outside", guest.home(`${name}-2`));
      await succeeds(guest.stop());
      expect(readdirSync(outside)).toEqual([]);
      expect(guest.link).toBe("../../outside");
    });

    test("is not followed into what takes the aside's name at the last moment", async () => {
      realHome();
      const outside = join(guest.folder, "outside");
      mkdirSync(outside);
      const name = `.hermes.before-hermes-${new Date().toISOString().slice(0, 10)}`;
      guest.set("race", `ln -s '${outside}' '${guest.home(name)}'\n`);
      await fails(guest.apply(["alice"]).then(withoutNews), /`move \.hermes \S+` failed as this user/);
      expect([readdirSync(outside), guest.link]).toEqual([[], undefined]);
      expect(readFileSync(guest.home(".hermes/config.yaml"), "utf8")).toBe("mine");
    });

    test.each([
      "link kept /etc/passwd",
      "link gone -rf",
      "same gone -rf",
      "none gone -1",
      "other gone .hermes.before-hermes-x/../../y",
      "gone gone .hermes.before-hermes-1",
      "none",
      "",
    ])("whose user's process answers %j is not touched", async (answer) => {
      guest.set("runuser-answers.alice", answer);
      await fails(guest.apply(["alice"]).then(withoutNews), /user alice: looking at .* gave something odd/);
      expect(readdirSync(guest.home(""))).toEqual([]);
    });

    test("has its link follow a state folder that has moved, and its aside back in the end", async () => {
      realHome();
      await succeeds(guest.apply(["alice"]));
      const moved = join(guest.folder, "lib/moved");
      mkdirSync(moved);
      guest.set("group-of.moved", "0");
      await succeeds(guest.apply(["alice"], { state: moved }));
      expect([guest.link, guest.mode, guest.asides.length]).toEqual([moved, undefined, 1]);
      expect(readFileSync(join(moved, ".container-mode"), "utf8")).toBe(TEXT);
      await succeeds(guest.stop());
      expect(readFileSync(guest.home(".hermes/config.yaml"), "utf8")).toBe("mine");
      expect([existsSync(join(moved, ".container-mode")), guest.asides]).toEqual([false, []]);
    });
  });

  describe("the state folder:", () => {
    test("gets the group by root, mode 2770 and the default ACL by its owner", async () => {
      await succeeds(guest.apply(["alice"]));
      expect(guest.changes).toEqual(
        expect.arrayContaining([
          `root / chown -h :10000 -- ${guest.state}`,
          `10000:10000 / chmod 2770 -- ${guest.state}`,
          `10000:10000 / setfacl -d -m u::rwx,g::rwx,o::--- -- ${guest.state}`,
        ]),
      );
      expect(modeOf(guest.state)).toBe("2770");
    });

    test("what is in it goes to the group, but what Hermes has made private", async () => {
      for (const [path, mode] of [
        ["sessions", 0o700],
        ["sessions/deep", 0o755],
        ["mcp-tokens", 0o700],
        ["workspace", 0o755],
        ["workspace/sessions", 0o700],
      ] as const) {
        mkdirSync(guest.inState(path));
        chmodSync(guest.inState(path), mode);
      }
      const files: ReadonlyArray<readonly [string, number, string]> = [
        [".env", 0o600, "600"],
        ["sessions/auth.json", 0o600, "600"],
        ["config.yaml", 0o644, "664"],
        ["sessions/deep/a b\n-c", 0o640, "660"],
        ["workspace/run", 0o755, "775"],
        ["workspace/own", 0o700, "700"],
        ["mcp-tokens/open.json", 0o644, "644"],
        ["workspace/sessions/x", 0o644, "644"],
      ];
      for (const [path, mode] of files) {
        writeFileSync(guest.inState(path), "");
        chmodSync(guest.inState(path), mode);
      }
      await succeeds(guest.apply(["alice"]));
      for (const [path, , mode] of files) expect(modeOf(guest.inState(path)), path).toBe(mode);
      const folders = ["sessions", "sessions/deep", "workspace", "mcp-tokens", "workspace/sessions"];
      expect(folders.map((path) => modeOf(guest.inState(path)))).toEqual([
        "2770",
        "2775",
        "2775",
        "700",
        "700",
      ]);
      expect(guest.told("acl").split("\n").slice(0, -1).sort()).toEqual(
        ["", "/sessions", "/sessions/deep", "/workspace"].map((path) => `${guest.state}${path}`),
      );
      expect(guest.told("given")).not.toMatch(/env|auth|tokens|own|workspace\/sessions/);
      expect(guest.told("given")).toContain("./sessions/deep/a b\n-c\n");
    });

    test("links in it are not followed", async () => {
      const outside = join(guest.folder, "outside");
      mkdirSync(outside, { mode: 0o755 });
      writeFileSync(join(outside, "f"), "", { mode: 0o644 });
      symlinkSync(outside, guest.inState("sessions"));
      symlinkSync(join(outside, "f"), guest.inState("f"));
      await succeeds(guest.apply(["alice"]));
      expect([modeOf(outside), modeOf(join(outside, "f"))]).toEqual(["755", "644"]);
      expect(guest.told("given")).toBe("");
    });

    test("is not walked again when it has all this", async () => {
      await succeeds(guest.apply(["alice"]));
      writeFileSync(guest.inState("late"), "");
      chmodSync(guest.inState("late"), 0o640);
      await succeeds(guest.apply(["alice"]));
      expect([guest.changes, modeOf(guest.inState("late"))]).toEqual([[], "640"]);
    });

    test("whose mode alone Hermes has changed gets that again, without a walk", async () => {
      await succeeds(guest.apply(["alice"]));
      writeFileSync(guest.inState("late"), "");
      chmodSync(guest.inState("late"), 0o640);
      chmodSync(guest.state, 0o700);
      await succeeds(guest.apply(["alice"]));
      expect(guest.changes).toEqual([`10000:10000 / chmod 2770 -- ${guest.state}`]);
    });

    test("of root is given to the group but not walked, until Hermes owns it", async () => {
      guest.set("owner", "0");
      writeFileSync(guest.inState("restored"), "");
      chmodSync(guest.inState("restored"), 0o640);
      await succeeds(guest.apply(["alice"]));
      expect([modeOf(guest.state), modeOf(guest.inState("restored")), guest.mode]).toEqual([
        "2770",
        "640",
        TEXT,
      ]);
      await succeeds(guest.apply(["alice"]));
      expect(guest.changes).toEqual([]);
      guest.set("owner", "10000");
      await succeeds(guest.apply(["alice"]));
      expect(modeOf(guest.inState("restored"))).toBe("660");
    });

    test("that is no folder, a link, or in a folder that others can write is an error, and nothing of it is touched", async () => {
      chmodSync(join(guest.folder, "lib"), 0o775);
      await fails(
        guest.apply(["alice"]).then(withoutNews),
        /belongs to uid \d+ with mode 775; expected a folder of root/,
      );
      chmodSync(join(guest.folder, "lib"), 0o757);
      await fails(guest.apply(["alice"]), /with mode 757/);
      chmodSync(join(guest.folder, "lib"), 0o755);
      renameSync(guest.state, `${guest.state}-away`);
      await fails(guest.apply(["alice"]), /is not a folder.*is its disk mounted/);
      symlinkSync(`${guest.state}-away`, guest.state);
      await fails(guest.apply(["alice"]), /is not a folder/);
      expect(readdirSync(`${guest.state}-away`)).toEqual([]);
      expect(guest.told("acl")).toBe("");
    });

    test("without ACLs is an error with the reason, and the users are done", async () => {
      guest.set("setfacl-fails");
      await fails(
        guest.apply(["alice"]).then(withoutNews),
        /setfacl failed \(setfacl: Operation not supported\); expected a filesystem with ACLs/,
      );
      expect([guest.link, guest.group]).toEqual([guest.state, "hermes:x:10000:alice"]);
    });

    test("keeps its data on removal, and what was opened stays open", async () => {
      mkdirSync(guest.inState("sessions"));
      writeFileSync(guest.inState("sessions/a"), "memories");
      await succeeds(guest.apply(["alice"]));
      await succeeds(guest.stop());
      expect(readFileSync(guest.inState("sessions/a"), "utf8")).toBe("memories");
      expect([modeOf(guest.state), modeOf(guest.inState("sessions"))]).toEqual(["2770", "2775"]);
    });
  });

  describe("the metadata:", () => {
    test("is copied byte by byte, with mode 0644 from a file that is closed, by the folder's owner", async () => {
      const text = "# comment\n\nbackend=podman  \n\r\n\n\n";
      writeFileSync(guest.metadata, text);
      chmodSync(guest.metadata, 0o600);
      await succeeds(guest.apply(["alice"]));
      expect([guest.mode, modeOf(guest.inState(".container-mode"))]).toEqual([text, "644"]);
      expect(guest.changes).toContain(
        `10000:10000 ${guest.state} mv -fT .container-mode.new .container-mode`,
      );
      expect(readdirSync(guest.state)).toEqual([".container-mode"]);
    });

    test("is written only when text or mode differ", async () => {
      await succeeds(guest.apply(["alice"]));
      const { ino } = statSync(guest.inState(".container-mode"));
      await succeeds(guest.apply(["alice"]));
      expect(statSync(guest.inState(".container-mode")).ino).toBe(ino);
      chmodSync(guest.inState(".container-mode"), 0o600);
      await succeeds(guest.apply(["alice"]));
      expect(modeOf(guest.inState(".container-mode"))).toBe("644");
      writeFileSync(guest.metadata, "backend=docker\n");
      await succeeds(guest.apply(["alice"]));
      expect(guest.mode).toBe("backend=docker\n");
      await succeeds(guest.stop());
      expect(guest.mode).toBe(undefined);
    });

    test.each([".container-mode", ".container-mode.new"])(
      "replaces a link planted as %s and does not follow it",
      async (name) => {
        const victim = join(guest.folder, "victim");
        writeFileSync(victim, "precious", { mode: 0o600 });
        symlinkSync(victim, guest.inState(name));
        await succeeds(guest.apply(["alice"]));
        expect([readFileSync(victim, "utf8"), modeOf(victim)]).toEqual(["precious", "600"]);
        expect(lstatSync(guest.inState(".container-mode")).isFile()).toBe(true);
        expect(guest.mode).toBe(TEXT);
      },
    );

    test("replaces a hard link planted in its place and leaves the other name alone", async () => {
      const victim = join(guest.folder, "victim");
      writeFileSync(victim, "precious", { mode: 0o600 });
      linkSync(victim, guest.inState(".container-mode.new"));
      await succeeds(guest.apply(["alice"]));
      expect([readFileSync(victim, "utf8"), modeOf(victim)]).toEqual(["precious", "600"]);
      expect(guest.mode).toBe(TEXT);
    });

    test("with a folder planted in its place is an error that says what to do", async () => {
      mkdirSync(guest.inState(".container-mode"));
      await fails(
        guest.apply(["alice"]).then(withoutNews),
        /`write` of \.container-mode failed as uid 10000 \(.*\); move away/,
      );
      rmSync(guest.inState(".container-mode"), { recursive: true });
      await succeeds(guest.apply(["alice"]));
      expect(guest.mode).toBe(TEXT);
    });

    test("that somebody has changed is left alone on removal, and so is a link in its place", async () => {
      await succeeds(guest.apply(["alice"]));
      writeFileSync(guest.inState(".container-mode"), "backend=mine\n");
      expect(await succeeds(guest.stop())).toContain("is not what was written there any more, and stays");
      expect(guest.mode).toBe("backend=mine\n");
      await succeeds(guest.apply(["alice"]));
      rmSync(guest.inState(".container-mode"));
      symlinkSync(guest.metadata, guest.inState(".container-mode"));
      await succeeds(guest.stop());
      expect(linkOf(guest.inState(".container-mode"))).toBe(guest.metadata);
    });

    test("of an earlier installation with the same text is taken over, and removed with the rest", async () => {
      writeFileSync(guest.inState(".container-mode"), TEXT);
      await succeeds(guest.apply(["alice"]));
      await succeeds(guest.stop());
      expect(guest.mode).toBe(undefined);
    });
  });

  describe("stopping:", () => {
    test("takes everything back, and a second time does nothing", async () => {
      realHome();
      const before = guest.seen;
      await succeeds(guest.apply(["alice", "bob"]));
      expect(await succeeds(guest.stop())).toBe("");
      expect(guest.seen).toEqual(before);
      expect(await succeeds(guest.stop())).toBe("");
      expect(guest.changes).toEqual([]);
    });

    test("works when the metadata's file and the state folder are gone, too", async () => {
      realHome();
      await succeeds(guest.apply(["alice"]));
      rmSync(guest.metadata);
      rmSync(guest.state, { recursive: true });
      expect(await succeeds(guest.stop())).toBe("");
      expect(readFileSync(guest.home(".hermes/config.yaml"), "utf8")).toBe("mine");
      expect(readdirSync(guest.record).sort()).toEqual(["lock", "users"]);
    });

    test.each([
      ["while the system goes down", "stopping", ""],
      [
        "while the unit is being restarted",
        "running",
        `  1 x.service stop waiting\n 12 ${UNIT} restart running\n`,
      ],
      ["while the unit is to start again", "running", ` 12 ${UNIT} start waiting\n`],
    ])("does nothing %s", async (_, system, jobs) => {
      await succeeds(guest.apply(["alice"]));
      const before = guest.seen;
      guest.set("system", `${system}\n`);
      guest.set("jobs", jobs);
      await succeeds(guest.stop());
      expect([guest.seen, guest.changes]).toEqual([before, []]);
    });

    test("takes all back when only other units start, or this one stops", async () => {
      await succeeds(guest.apply(["alice"]));
      guest.set(
        "jobs",
        ` 1 ${UNIT} stop running\n 2 x-${UNIT} start waiting\n 3 other.service restart running\n`,
      );
      await succeeds(guest.stop());
      expect(guest.link).toBe(undefined);
    });

    test("touches nothing when the jobs are not known", async () => {
      await succeeds(guest.apply(["alice"]));
      guest.unset("jobs");
      const { status, stderr } = await guest.stop();
      expect([status, guest.link]).toEqual([1, guest.state]);
      expect(stderr).toMatch(/^hermes-host-users: `systemctl list-jobs` failed \(.*\), so.*\n$/);
    });
  });

  describe("two at once:", () => {
    test("one waits for the other, and both come out right", async () => {
      realHome();
      const results = await Promise.all([guest.apply(["alice"]), guest.apply(["alice", "bob"])]);
      for (const { status, stderr } of results) expect(status, stderr).toBe(0);
      expect([guest.link, guest.asides.length]).toEqual([guest.state, 1]);
    });

    test("the waiting ends after its time with a clear error, and nothing is touched", async () => {
      await succeeds(guest.apply(["alice"]));
      const holder = spawn("flock", [join(guest.record, "lock"), "sh", "-c", "echo held; exec sleep 60"]);
      await once(holder.stdout, "data");
      const env = { HERMES_HOST_USERS_LOCK_WAIT: "1" };
      await fails(guest.apply([], { env }), /another hermes-host-users has been at work for 1 s.*fuser/);
      expect(guest.link).toBe(guest.state);
      holder.kill("SIGKILL");
    });

    test("a second run changes nothing", async () => {
      realHome();
      mkdirSync(guest.inState("sessions"));
      await succeeds(guest.apply(["alice", "bob"]));
      const before = guest.seen;
      expect(await succeeds(guest.apply(["alice", "bob"]))).toBe("");
      expect([guest.seen, guest.changes]).toEqual([before, []]);
    });
  });

  describe("killed before any command that changes something,", { timeout: 120_000 }, () => {
    const prepare = (target: Guest): void => {
      mkdirSync(target.home(".hermes"));
      writeFileSync(target.home(".hermes/config.yaml"), "mine");
      mkdirSync(target.inState("sessions"), { mode: 0o700 });
      writeFileSync(target.inState("sessions/a"), "memories", { mode: 0o644 });
      writeFileSync(target.inState(".env"), "secret", { mode: 0o600 });
    };
    const normal = (target: Guest): unknown =>
      JSON.parse(JSON.stringify(target.seen).replaceAll(target.folder, "ROOT"));

    /** Kills `interrupted` before its first change, its second…; each time `then` must end as undisturbed. */
    async function everywhere(
      before: (target: Guest) => Promise<unknown>,
      interrupted: (target: Guest, killAt: number) => Promise<Result>,
      then: (target: Guest) => Promise<Result>,
      undisturbed: (target: Guest) => Promise<unknown>,
    ): Promise<readonly string[]> {
      const model = new Guest(shell);
      prepare(model);
      await undisturbed(model);
      const expected = { seen: normal(model), mode: modeOf(model.inState("sessions/a")) };
      model.remove();
      const killed: string[] = [];
      let next = 1;
      let finished = false;
      const worker = async (target: Guest): Promise<void> => {
        prepare(target);
        await before(target);
        target.save();
        while (!finished) {
          const killAt = next++;
          target.restore();
          const { status } = await interrupted(target, killAt);
          const what = target.told("killed-before");
          if (what === "") finished = true;
          else {
            expect(status, what).toBe(null);
            killed.push(what.split(" ")[0] ?? "");
          }
          const { status: second, stderr } = await then(target);
          expect(second, `${what}: ${stderr}`).toBe(0);
          const found = { seen: normal(target), mode: modeOf(target.inState("sessions/a")) };
          // Once the walk has begun, what is opened stays open.
          expect(found, `killed before step ${killAt}: ${what}`).toEqual({
            ...expected,
            mode: expected.mode === "644" ? expect.any(String) : expected.mode,
          });
        }
      };
      const two = [new Guest(shell), new Guest(shell)];
      try {
        await Promise.all(two.map(worker));
      } finally {
        for (const target of two) target.remove();
      }
      return killed;
    }
    const nothing = async (): Promise<void> => {};
    const users = ["alice"];
    const first = (target: Guest): Promise<Result> => target.apply(users);

    test("a first run is finished by the next", async () => {
      const killed = await everywhere(
        nothing,
        (target, killAt) => target.apply(users, { killAt }),
        first,
        first,
      );
      expect(new Set(killed)).toEqual(
        new Set("mkdir mv groupadd gpasswd ln chown chmod setfacl chgrp rm cp".split(" ")),
      );
      expect(killed.length).toBeGreaterThan(25);
    });

    test("a first run is taken back by stopping", async () => {
      await everywhere(
        nothing,
        (target, killAt) => target.apply(users, { killAt }),
        (target) => target.stop(),
        nothing,
      );
    });

    test("a stop is finished by the next", async () => {
      const killed = await everywhere(
        first,
        (target, killAt) => target.stop({ killAt }),
        (target) => target.stop(),
        nothing,
      );
      expect(new Set(killed)).toEqual(new Set(["rm", "mv", "gpasswd", "groupdel"]));
    });

    test("a stop is followed by a run that sets all up again", async () => {
      await everywhere(first, (target, killAt) => target.stop({ killAt }), first, first);
    });

    test("a change of users and metadata is finished by the next run", async () => {
      const change = (target: Guest, killAt = 0): Promise<Result> => {
        writeFileSync(target.metadata, "backend=docker\n");
        return target.apply(["bob"], { killAt });
      };
      await everywhere(first, change, change, async (target) => {
        await first(target);
        await change(target);
      });
    });

    test("a change of users and metadata is taken back by stopping", async () => {
      await everywhere(
        first,
        (target, killAt) => {
          writeFileSync(target.metadata, "backend=docker\n");
          return target.apply(["bob"], { killAt });
        },
        (target) => target.stop(),
        nothing,
      );
    });
  });
});

/** Without the lines that tell what was done. */
function withoutNews({ status, stderr }: Result): Result {
  const lines = stderr.split("\n").filter((line) => !/now in group hermes|was there before/.test(line));
  return { status, stderr: lines.join("\n") };
}
