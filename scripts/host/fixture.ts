import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

const TOOL = fileURLToPath(new URL("hermes-microvm", import.meta.url));
const DOUBLES = fileURLToPath(new URL("doubles", import.meta.url));
/** Every command of the tool that changes something, and the doubles: a kill before one is a kill after the one before. */
const CHANGING = "mv rm ln mkdir mktemp cp chmod find rmdir ssh-keygen microvm systemctl ssh".split(" ");

/** A guest's texts, as far as the doubles understand them. */
export type Texts = Readonly<Record<string, string>>;

export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string | undefined;
  /** Die before the n-th command that changes something. */
  readonly killAt?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly shell?: readonly string[];
  readonly onSpawn?: (child: ChildProcess) => void;
}

export const GUEST = "vm-hermes";

export const texts = (version: string, extra: Texts = {}): Texts => ({
  "flake.nix": "# inputs\npinned\n",
  "machine.nix": machine({}),
  "container.nix": `# Written by a test.\nimage docker.io/nousresearch/hermes-agent:v${version}\nversion ${version}\n`,
  "hermes-probe": "#!/bin/sh\n",
  ...extra,
});

const images = (guest: string): string => `/var/lib/hermes-microvm/guests/${guest}/images`;

export function machine({ guest = GUEST, mac = "02:00:00:00:20:02", tap = "vm-hermes", cid = 4 }): string {
  const disks = [`ROOT${images(guest)}/state.img 1`, `ROOT${images(guest)}/hermes.img 2`, "containers.img 1"];
  return [`mac ${mac}`, `tap ${tap}`, `cid ${cid}`, ...disks.map((disk) => `image ${disk}`), ""].join("\n");
}

/** The SSH host key that the doubles give a guest, by the first line of its state image. */
export const keyOf = (image: string): string =>
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA${image.padStart(44, "x")}`;

export const digest = (content: string): string => createHash("sha256").update(content).digest("hex");

/** A NixOS host with microvm.nix in a folder: its commands are doubles, everything else is real. */
export class Host {
  readonly folder = mkdtempSync(join(tmpdir(), "hermes-host-"));
  readonly root = join(this.folder, "root");
  readonly doubles = join(this.folder, "doubles");
  readonly base = this.at(`/var/lib/hermes-microvm/guests/${GUEST}`);
  readonly state = this.at(`/var/lib/microvms/${GUEST}`);
  readonly gcRoots = this.at("/nix/var/nix/gcroots/microvm");

  constructor() {
    for (const path of ["/var/lib/microvms", "/nix/store"]) mkdirSync(this.at(path), { recursive: true });
    mkdirSync(this.doubles);
    this.set("wants", `microvm@other.service microvm@${GUEST}.service`);
    mkdirSync(join(this.folder, "killers"));
    for (const name of CHANGING) symlinkSync(join(DOUBLES, "killer"), join(this.folder, "killers", name));
  }

  at(path: string): string {
    return `${join(this.folder, "root")}${path}`;
  }

  read(path: string): string {
    return readFileSync(path, "utf8");
  }

  link(path: string): string | undefined {
    try {
      return readlinkSync(path);
    } catch {
      return undefined;
    }
  }

  /** Tells the doubles something. */
  set(name: string, value = ""): void {
    writeFileSync(join(this.doubles, name), value);
  }

  unset(name: string): void {
    rmSync(join(this.doubles, name), { force: true });
  }

  told(name: string): string {
    const path = join(this.doubles, name);
    return existsSync(path) ? this.read(path) : "";
  }

  calls(pattern: RegExp): readonly string[] {
    return this.told("calls")
      .split("\n")
      .filter((line) => pattern.test(line));
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    const systemPath = process.env["PATH"] ?? "";
    const killed = options.killAt === undefined ? "" : `${join(this.folder, "killers")}:`;
    this.set("count", "0\n");
    const env = {
      PATH: `${killed}${DOUBLES}:${systemPath}`,
      REAL_PATH: systemPath,
      ROOT: this.root,
      DOUBLES: this.doubles,
      KILL_AT: `${options.killAt ?? 0}`,
      ...options.env,
    };
    const command = [...(options.shell ?? ["/bin/sh"]), TOOL, "--root", this.root, ...args];
    // A process group of its own, whose number the killer learns from the shell that becomes the tool.
    const child = spawn("/bin/sh", ["-c", 'KILL_GROUP=$$; export KILL_GROUP; exec "$@"', "sh", ...command], {
      env,
      detached: true,
    });
    options.onSpawn?.(child);
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    const status = new Promise<number | null>((resolve) => child.on("exit", resolve));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { status: await status, stdout, stderr };
  }

  content(content: string): string {
    return content.replaceAll("ROOT", this.root);
  }

  /** Like Pulumi, it sends what is not there yet. */
  async stage(files: Texts, guest = GUEST): Promise<void> {
    for (const [name, raw] of Object.entries(files)) {
      const content = this.content(raw);
      const staged = this.at(`/var/lib/hermes-microvm/guests/${guest}/staged/${name}`);
      if (existsSync(staged) && this.read(staged) === content) continue;
      const { status, stderr } = await this.run(["stage", guest, name, digest(content)], { input: content });
      if (status !== 0) throw new Error(stderr);
    }
  }

  request(files: Texts, changes: Readonly<Record<string, string | undefined>> = {}, guest = GUEST): string {
    const values = {
      ssh: "vsock/4",
      mac: "02:00:00:00:20:02",
      tap: "vm-hermes",
      cid: "4",
      autostart: "required",
      unit: "hermes.service",
      timeout: "20",
      ...changes,
    };
    return [
      ...Object.entries(files).map(([name, content]) => `file ${name} ${digest(this.content(content))} 1`),
      `image ${images(guest)}/state.img 1 persistent`,
      `image ${images(guest)}/hermes.img 2 persistent`,
      "image containers.img 1 disposable",
      ...Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [`${key} ${value}`])),
      "end",
      "",
    ].join("\n");
  }

  async activate(
    files: Texts,
    changes: Readonly<Record<string, string | undefined>> = {},
    options: RunOptions = {},
  ): Promise<Result> {
    return this.run(["activate", GUEST], { input: this.request(files, changes), ...options });
  }

  async deploy(files: Texts, changes: Readonly<Record<string, string | undefined>> = {}): Promise<Result> {
    await this.stage(files);
    return this.activate(files, changes);
  }

  /** A copy of all files, to come back to with `restore`: store paths and links keep their places. */
  save(name: string): void {
    for (const part of ["root", "doubles"]) this.copy(join(this.folder, part), join(this.folder, name, part));
  }

  restore(name: string): void {
    for (const part of ["root", "doubles"]) {
      rmSync(join(this.folder, part), { recursive: true, force: true });
      this.copy(join(this.folder, name, part), join(this.folder, part));
    }
  }

  private copy(from: string, to: string): void {
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
