// For tests: a real OpenSSH server on a port of its own, with keys of its own, in a folder of its own.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

export type Sshd = {
  readonly port: number;
  readonly user: string;
  readonly privateKey: string;
  /** By type: the server has an ECDSA, an Ed25519 and an RSA key. */
  readonly hostKeys: { readonly [type in "ecdsa" | "ed25519" | "rsa"]: string };
  readonly folder: string;
  readonly stop: () => void;
};

export async function startSshd(): Promise<Sshd> {
  const folder = mkdtempSync(join(tmpdir(), "sshd-"));
  const key = (name: string, type: string): string => {
    execFileSync("ssh-keygen", ["-q", "-t", type, "-N", "", "-C", "", "-f", join(folder, name)]);
    return readFileSync(join(folder, `${name}.pub`), "utf8").trim();
  };
  const hostKeys = {
    ecdsa: key("ecdsa", "ecdsa"),
    ed25519: key("ed25519", "ed25519"),
    rsa: key("rsa", "rsa"),
  };
  writeFileSync(join(folder, "authorized_keys"), `${key("client", "ed25519")}\n`, { mode: 0o600 });
  // Debian's sshd wants this folder even without privilege separation of ours.
  if (userInfo().uid === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  const port = await freePort();
  const settings = {
    ListenAddress: `127.0.0.1:${port}`,
    AuthorizedKeysFile: join(folder, "authorized_keys"),
    PidFile: "none",
    UsePAM: "no",
    StrictModes: "no",
    PasswordAuthentication: "no",
    PermitRootLogin: "yes",
    AcceptEnv: "ALLOWED PULUMI_COMMAND_STDOUT",
    MaxStartups: "100",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  lines.push(...Object.keys(hostKeys).map((name) => `HostKey ${join(folder, name)}`));
  writeFileSync(join(folder, "sshd_config"), `${lines.join("\n")}\n`);
  const server = spawn("/usr/sbin/sshd", ["-D", "-e", "-f", join(folder, "sshd_config")], {
    stdio: "ignore",
  });
  await answering(server, port);
  return {
    port,
    user: userInfo().username,
    privateKey: readFileSync(join(folder, "client"), "utf8"),
    hostKeys,
    folder,
    stop: () => {
      server.kill();
      rmSync(folder, { recursive: true });
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

async function answering(server: ChildProcess, port: number): Promise<void> {
  for (let tried = 0; tried < 50; tried++) {
    if (server.exitCode !== null) throw new Error(`sshd ended with status ${server.exitCode}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, "127.0.0.1", () => resolve(true));
      socket.once("error", () => resolve(false)).once("connect", () => socket.destroy());
    });
    if (open) return;
    await wait(100);
  }
  throw new Error(`sshd does not answer on port ${port}`);
}
