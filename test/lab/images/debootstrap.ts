import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { step } from "../../../scripts/setup/progress.ts";
import { here } from "./folder.ts";

export interface Bootstrap {
  readonly title: string;
  readonly estimateSeconds: number;
  readonly suite: "bookworm" | "trixie";
  /** `minbase` has apt, `essential` only what Debian marks essential. */
  readonly variant: "minbase" | "essential";
  /** File with one package a line, in this folder. */
  readonly packages: string;
  /** Run when the packages are installed; mmdebstrap's own (`upload`, `tar-in`) also work without root. */
  readonly customizeHooks: readonly string[];
  readonly output: string;
}

/** Makes a tar archive of a Debian root file system, as root or in a user namespace. */
export async function debootstrap(options: Bootstrap): Promise<void> {
  requireAmd64(process.arch);
  const asRoot = process.getuid?.() === 0;
  if (!asRoot) {
    requireUserNamespace();
  }
  const mirror = debianMirror(aptSources());
  const scratch = `${options.output}.scratch`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch);
  await step({
    title: options.title,
    log: `image-${options.suite}`,
    estimateSeconds: options.estimateSeconds,
    command: [
      "mmdebstrap",
      `--mode=${asRoot ? "root" : "unshare"}`,
      `--variant=${options.variant}`,
      "--format=tar",
      `--include=${packageList(join(here, options.packages)).join(",")}`,
      '--aptopt=Acquire::Languages "none"',
      "--dpkgopt=path-exclude=/usr/share/man/*",
      "--dpkgopt=path-exclude=/usr/share/doc/*",
      "--dpkgopt=path-include=/usr/share/doc/*/copyright",
      "--dpkgopt=path-exclude=/usr/share/locale/*/LC_MESSAGES/*",
      ...options.customizeHooks.map((hook) => `--customize-hook=${hook}`),
      options.suite,
      options.output,
      ...(mirror === undefined ? [] : [mirror]),
    ],
    // The unpacked system takes about 600 MB, which /tmp in memory may not have. In a user namespace the
    // folder must be open to other users, which a home directory often is not.
    ...(asRoot ? { env: { ...process.env, TMPDIR: scratch } } : {}),
    timeoutSeconds: 1500,
  });
  rmSync(scratch, { recursive: true, force: true });
}

export function packageList(file: string): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
}

export function requireAmd64(architecture: string): void {
  if (architecture !== "x64") {
    throw new Error(
      `The lab's guest is built for x86-64 only; this machine is ${architecture}. ` +
        "Run the lab on an x86-64 machine, or deploy to real hardware with `pulumi up`.",
    );
  }
}

/**
 * The Debian archive that this machine itself uses. Elsewhere (Ubuntu), or where apt has no lists yet,
 * undefined: mmdebstrap then takes the archive that its own package names.
 */
export function debianMirror(sources: string): string | undefined {
  return sources
    .split("\n")
    .map((line) => line.split("|"))
    .find(([site, codename, origin]) => origin === "Debian" && site !== "" && !codename?.includes("security"))
    ?.at(0);
}

function aptSources(): string {
  return execFileSync(
    "apt-get",
    ["indextargets", "--format", "$(SITE)|$(CODENAME)|$(ORIGIN)", "Created-By: Packages"],
    { encoding: "utf8" },
  );
}

function requireUserNamespace(): void {
  const attempt = spawnSync("mmdebstrap", ["--unshare-helper", "true"], { encoding: "utf8" });
  if (attempt.status === 0) {
    return;
  }
  const found = (attempt.error?.message ?? attempt.stderr.trim().split("\n").at(-1)) || "no message";
  throw new Error(
    "The lab's images are built as root or, for an ordinary user, in a user namespace, which this machine " +
      `refuses (${found}). Either run this as root, or: install the package uidmap, give yourself a range ` +
      "(`usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER`) and, on Ubuntu 24.04 or " +
      "later, allow it with `sysctl kernel.apparmor_restrict_unprivileged_userns=0`.",
  );
}
