import type { Setting } from "../reading/content.ts";

/** Programs that log in over SSH, or hand options to one that does. */
const CLIENT =
  /^(ssh|scp|sftp|rsync|autossh|mosh|sshfs|sshuttle|ssh-copy-id|sshpass|dbclient|git|ansible(-\w+)?|restic|borg|rclone|nix(-copy-closure)?|nixos-(rebuild|anywhere)|colmena|deploy|pssh|parallel-ssh)$/;
/** ssh_config(5): keywords in any case, `=` or blanks; and Ansible's own name for it. */
const UNCHECKED =
  /(StrictHostKeyChecking[\s="']+(no|off|false|accept-new)|(User|Global)KnownHostsFile[\s="']+(\/dev\/null|none)|host_key_checking[\s="']+(no|off|false|0))(?![\w-])/i;
/** The same as a line of a configuration file. */
const LINE = new RegExp(`^[ \\t]*(${UNCHECKED.source})`, "im");
/** Keys below which options of SSH stand: `GIT_SSH_COMMAND`, `RSYNC_RSH`, `programs.ssh.extraConfig`, `sshOpts`. */
const ABOUT_SSH =
  /ssh|rsh$|^(StrictHostKeyChecking|(User|Global)KnownHostsFile|(ansible_)?host_key_checking)$/i;
/** sshd(8), "AUTHORIZED_KEYS FILE FORMAT": the type, then the key. */
const PUBLIC_KEY =
  /(^|\s)(ssh-(ed25519|rsa)|ecdsa-sha2-nistp(256|384|521)|sk-[\w@.-]+)[ \t]+[A-Za-z0-9+/]{40,}={0,2}(\s|$)/;
/** Paramiko's policies that let an unknown host in. */
const PARAMIKO = /set_missing_host_key_policy\(\s*[\w.]*(AutoAdd|Warning)Policy/;

export const isSshClient = (name: string): boolean => CLIENT.test(name);
export const isPublicKey = (text: string): boolean => PUBLIC_KEY.test(text);

/** Whether options of SSH accept a host key that nobody has seen before. */
export const acceptsAnyKey = (options: string): boolean => UNCHECKED.test(options);

/** The line of a configuration file that does so. */
export function acceptingLine(text: string): string | undefined {
  return LINE.exec(text)?.[1];
}

/** The call of a Python program that does so. */
export function acceptingCall(text: string): string | undefined {
  return PARAMIKO.exec(text)?.[0];
}

/** Whether a setting or a variable does so. */
export function acceptingSetting({ path, value }: Pick<Setting, "path" | "value">): boolean {
  const name = path.at(-1) ?? "";
  return path.some((key) => ABOUT_SSH.test(key)) && acceptsAnyKey(`${name}=${String(value)}`);
}
