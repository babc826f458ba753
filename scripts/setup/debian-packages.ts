/** The Debian packages that the lab needs: installed when root, else named in one sentence. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { ask } from "./commands.ts";
import { withLock } from "./lock.ts";
import { StepError, step } from "./progress.ts";

export const LAB_PACKAGES = [
  "qemu-system-x86",
  "qemu-utils",
  "mmdebstrap",
  "skopeo",
  "docker-registry",
  "socat",
  "python3-venv",
  "e2fsprogs",
  "genisoimage",
  "openssh-client",
  // Only the program: unit tests of the command plugin's stand-in start an sshd of their own.
  "openssh-server",
  "shellcheck",
  "fakeroot",
  "debian-archive-keyring",
  // Only the programs: tests evaluate what is rendered for NixOS.
  "nix-bin",
] as const;

/**
 * Packages that start a service when they are installed, and its units. The lab starts its own on 127.0.0.1:
 * the packaged ones would listen on every address, docker-registry without a password.
 */
const UNWANTED_UNITS: Readonly<Record<string, readonly string[]>> = {
  "docker-registry": ["docker-registry.service"],
  "openssh-server": ["ssh.service", "ssh.socket"],
  "nix-bin": ["nix-daemon.service", "nix-daemon.socket"],
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg-query's own placeholder
const STATUS_FORMAT = "${db:Status-Abbrev}\n";

const LISTS = "/var/lib/apt/lists";
const LISTS_AGE_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** Makes sure that the named packages are installed. */
export async function ensureDebianPackages(names: readonly string[]): Promise<void> {
  if (!isDebianFamily(readOsRelease())) {
    throw new Error(
      `This needs Debian or Ubuntu, since it uses Debian packages (${names.join(", ")}). Elsewhere you can still deploy to real hardware: \`pulumi up -s pve-sbx\` or \`-s chopper\` with the ordinary Pulumi CLI.`,
    );
  }
  if (missingPackages(names).length === 0) return;
  await withLock("debian-packages", async () => {
    const missing = missingPackages(names);
    if (missing.length === 0) return;
    if (process.getuid?.() !== 0) throw new Error(notRootMessage(missing));
    await install(missing);
  });
}

export function notRootMessage(missing: readonly string[], systemd = systemdRuns()): string {
  const units = systemd ? unwantedUnits(missing) : [];
  const install = `sudo apt-get install --no-install-recommends ${missing.join(" ")}`;
  const message = "These Debian packages are missing, and only root can install them:";
  if (units.length === 0) return `${message} ${install}`;
  return `${message} sudo systemctl mask --now ${units.join(" ")} && ${install}
The mask keeps their services from starting: the lab starts its own, on 127.0.0.1 only. To undo it: sudo systemctl unmask ${units.join(" ")}`;
}

/** Units that the installation of these packages would start. */
export const unwantedUnits = (packages: readonly string[]): string[] =>
  packages.flatMap((name) => UNWANTED_UNITS[name] ?? []);

const systemdRuns = (): boolean => existsSync("/run/systemd/system");

export const readOsRelease = (): string =>
  existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";

export function isDebianFamily(osRelease: string): boolean {
  const ids = [...osRelease.matchAll(/^ID(?:_LIKE)?=(.*)$/gm)].flatMap((match) =>
    (match[1] ?? "").replaceAll(/["']/g, "").split(" "),
  );
  return ids.includes("debian") || ids.includes("ubuntu");
}

/** The named packages that are not installed, in the given order. */
export function missingPackages(names: readonly string[]): string[] {
  // dpkg-query exits with 1 as soon as one is unknown, and still prints the others: ask for each by itself.
  return names.filter((name) => !isInstalled(ask("dpkg-query", ["-W", "-f", STATUS_FORMAT, name])));
}

/** One line per architecture, for example "ii ". */
export const isInstalled = (status: string | undefined): boolean =>
  status?.split("\n").some((line) => line.startsWith("ii") || line.startsWith("hi")) ?? false;

async function install(missing: readonly string[]): Promise<void> {
  const units = systemdRuns() ? unwantedUnits(missing) : [];
  const unit = (verb: string): void => {
    for (const unwanted of units) ask("systemctl", [verb, unwanted]);
  };
  // A masked unit is neither started nor enabled by the installation.
  unit("mask");
  try {
    if (!listsAreFresh()) await update();
    try {
      await installPackages(missing);
    } catch (error) {
      if (
        !(error instanceof StepError) ||
        !/Unable to locate|404|has no installation candidate/.test(error.output)
      )
        throw error;
      // The lists are newer than a day, but name versions that the archive no longer has.
      await update();
      await installPackages(missing);
    }
  } finally {
    unit("unmask");
    unit("disable");
  }
  const still = missingPackages(missing);
  if (still.length > 0) {
    throw new Error(
      `apt-get reported success, but these packages are still missing: ${still.join(", ")}. See .cache/logs/apt-install.log.`,
    );
  }
}

// Waits for another apt instead of failing; never asks.
const aptEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  DEBIAN_FRONTEND: "noninteractive",
  NEEDRESTART_SUSPEND: "1",
});
const APT_LOCK = "-oDPkg::Lock::Timeout=120";

const update = (): Promise<void> =>
  step({
    title: "Debian package lists: updating",
    log: "apt-update",
    estimateSeconds: 15,
    command: ["apt-get", APT_LOCK, "update"],
    env: aptEnvironment(),
    timeoutSeconds: 600,
  });

const installPackages = (names: readonly string[]): Promise<void> =>
  step({
    title: `Debian packages (${names.join(", ")}): installing`,
    log: "apt-install",
    estimateSeconds: 10 + 6 * names.length,
    command: ["apt-get", APT_LOCK, "install", "--yes", "--no-install-recommends", ...names],
    env: aptEnvironment(),
    timeoutSeconds: 1_800,
  });

function listsAreFresh(): boolean {
  if (!existsSync(LISTS) || !readdirSync(LISTS).some((name) => name.includes("_Packages"))) return false;
  return Date.now() - statSync(LISTS).mtimeMs < LISTS_AGE_MILLISECONDS;
}
