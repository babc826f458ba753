import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const TOOL = fileURLToPath(new URL("../hermes-host-users", import.meta.url));
const DOUBLES = fileURLToPath(new URL("doubles", import.meta.url));
/** Every command of the tool that changes something: a kill before one is a kill after the one before. */
const CHANGING = "mv rm ln mkdir cp chmod chown chgrp setfacl groupadd groupdel gpasswd".split(" ");

export const UNIT = "hermes-host-users.service";
export const TEXT = "backend=podman\ncontainer_name=hermes\n";
export const SHELLS: ReadonlyArray<readonly string[]> = [["dash"], ["bash", "--posix"]];

export interface Result {
  readonly status: number | null;
  readonly stderr: string;
}

export interface RunOptions {
  /** Die before the n-th command that changes something. */
  readonly killAt?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A guest in a folder: its accounts, groups and owners are those of the doubles, everything else is real. */
export class Guest {
  readonly folder = mkdtempSync(join(tmpdir(), "host-users-"));
  readonly state = join(this.folder, "lib/hermes");
  readonly record = join(this.folder, "record");
  readonly metadata = join(this.folder, "metadata");
  readonly shell: readonly string[];

  constructor(shell: readonly string[]) {
    this.shell = shell;
    for (const path of ["doubles", "watched", "lib/hermes", "home/alice", "home/bob"])
      mkdirSync(join(this.folder, path), { recursive: true });
    chmodSync(join(this.folder, "lib"), 0o755);
    for (const name of CHANGING) symlinkSync(join(DOUBLES, "watched"), join(this.folder, "watched", name));
    const account = (name: string, uid: number, home = `/home/${name}`): string =>
      `${name}:x:${uid}:${uid}:Name of ${name}, Esq.:${this.folder}${home}:/bin/bash`;
    const passwd = ["root:x:0:0::/root:/bin/sh", account("alice", 1000), account("bob", 1001), ""];
    this.set("passwd", passwd.join("\n"));
    this.set("group", "root:x:0:\nusers:x:100:alice\n");
    this.set("owner", "10000");
    this.set("group-of.hermes", "0");
    this.set("system", "degraded\n");
    this.set("jobs");
    writeFileSync(this.metadata, TEXT);
  }

  home(path: string, user = "alice"): string {
    return join(this.folder, "home", user, path);
  }

  inState(path: string): string {
    return join(this.state, path);
  }

  /** Tells the doubles something. */
  set(name: string, value = ""): void {
    writeFileSync(join(this.folder, "doubles", name), value);
  }

  unset(name: string): void {
    rmSync(join(this.folder, "doubles", name), { force: true });
  }

  told(name: string): string {
    const path = join(this.folder, "doubles", name);
    return existsSync(path) ? readFileSync(path, "utf8") : "";
  }

  addAccount(line: string): void {
    this.set("passwd", `${this.told("passwd")}${line}\n`);
  }

  removeAccount(name: string): void {
    this.set("passwd", this.told("passwd").replace(new RegExp(`^${name}:.*\n`, "m"), ""));
  }

  /** The line of the group hermes, or nothing. */
  get group(): string {
    return /^hermes:.*$/m.exec(this.told("group"))?.[0] ?? "";
  }

  get link(): string | undefined {
    return linkOf(this.home(".hermes"));
  }

  get mode(): string | undefined {
    return existsSync(this.inState(".container-mode"))
      ? readFileSync(this.inState(".container-mode"), "utf8")
      : undefined;
  }

  get changes(): readonly string[] {
    return this.told("changes").split("\n").slice(0, -1);
  }

  get asides(): readonly string[] {
    return readdirSync(this.home("")).filter((name) => name.startsWith(".hermes.before-hermes-"));
  }

  async apply(
    users: readonly string[],
    options: RunOptions & { readonly state?: string } = {},
  ): Promise<Result> {
    const state = options.state ?? this.state;
    const declared = this.declared ? ["--declared"] : [];
    const given = ["--unit", UNIT, "--state", state, "--gid", "10000", ...declared];
    return this.run(["apply", ...given, "--metadata", this.metadata, ...users], options);
  }
  declared = false;

  async stop(options: RunOptions = {}): Promise<Result> {
    return this.run(["stop", "--unit", UNIT, "--state", this.state, "--metadata", this.metadata], options);
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    this.set("count", "0\n");
    this.set("changes");
    this.unset("killed-before");
    const env = {
      PATH: `${join(this.folder, "watched")}:${DOUBLES}:${process.env["PATH"] ?? ""}`,
      TZ: "UTC",
      DOUBLES: join(this.folder, "doubles"),
      KILL_AT: `${options.killAt ?? 0}`,
      HERMES_HOST_USERS_RECORD: this.record,
      HERMES_HOST_USERS_LOCK_WAIT: "5",
      ...options.env,
    };
    // A process group of its own, whose number the watcher learns from the shell that becomes the tool.
    const child = spawn(
      "/bin/sh",
      ["-c", 'KILL_GROUP=$$; export KILL_GROUP; exec "$@"', "sh", ...this.shell, TOOL, ...args],
      { env, detached: true, stdio: ["ignore", "inherit", "pipe"] },
    );
    const status = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const stderr = await text(child.stderr);
    return { status: await status, stderr };
  }

  /** What a user, Hermes and an administrator see: homes, groups, and what is in the state folder. */
  get seen(): Readonly<Record<string, string>> {
    const files = Object.fromEntries([
      ...tree(join(this.folder, "home"), "home"),
      ...tree(this.state, "state"),
    ]);
    const group = this.told("group").replace(/[^:\n]+$/gm, (members) => members.split(",").sort().join());
    return { ...files, group };
  }

  /** A copy of everything, to come back to with `restore`. */
  save(): void {
    copy(this.folder, `${this.folder}.saved`);
  }

  restore(): void {
    copy(`${this.folder}.saved`, this.folder);
  }

  remove(): void {
    for (const path of [this.folder, `${this.folder}.saved`]) rmSync(path, { recursive: true, force: true });
  }
}

function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  const { status, stderr } = spawnSync("cp", ["-a", "-T", from, to], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

export function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function* tree(folder: string, name: string): Generator<readonly [string, string]> {
  for (const entry of readdirSync(folder).sort()) {
    const path = join(folder, entry);
    const shown = `${name}/${entry.replace(/before-hermes-\d{4}-\d\d-\d\d/, "before-hermes-DATE")}`;
    const kind = lstatSync(path);
    if (kind.isSymbolicLink()) yield [shown, `-> ${readlinkSync(path)}`];
    else if (kind.isDirectory()) {
      yield [shown, "folder"];
      yield* tree(path, shown);
    } else yield [shown, kind.isFile() ? readFileSync(path, "utf8") : "special"];
  }
}
