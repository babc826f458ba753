import type { Setting } from "../reading/content.ts";

/** Programs that log in over SSH, or hand options to one that does. */
const CLIENTS: ReadonlySet<string> = new Set([
  "ssh",
  "scp",
  "sftp",
  "rsync",
  "autossh",
  "mosh",
  "sshfs",
  "sshuttle",
  "ssh-copy-id",
  "sshpass",
  "dbclient",
  "pssh",
  "parallel-ssh",
  "git",
  "ansible",
  "ansible-playbook",
  "restic",
  "borg",
  "rclone",
  "nix",
  "nix-copy-closure",
  "nixos-rebuild",
  "nixos-anywhere",
  "colmena",
  "deploy",
]);
/** ssh_config(5): keywords in any case, `=` or blanks; and Ansible's own name for it. */
const UNCHECKED =
  /(StrictHostKeyChecking|host_key_checking)[\s="']+(no|off|false|0|accept-new)(?![\w-])|(User|Global)KnownHostsFile[\s="']+(\/dev\/null|none)(?![\w-])|KnownHostsCommand[\s="']+\/.*|NoHostAuthenticationForLocalhost[\s="']+yes(?![\w-])/i;
/** The same as a line of a configuration file, which ends there: what goes on is a sentence. */
const LINE = new RegExp(`^[ \\t]*(${UNCHECKED.source})["'\\s]*(#|$)`, "im");
/** ssh_config(5), "FILES"; Ansible has its options for SSH in a file of its own. */
const CONFIG_PATH = /(^|\/)(ssh_config(\.d\/[^/]+)?|\.ssh\/config(\.d\/[^/]+)?|\.?ansible\.cfg)$/;
/** Keys of options for SSH: `GIT_SSH_COMMAND`, `RSYNC_RSH`, `programs.ssh.extraConfig`, `sshOpts`, the options themselves. */
const ABOUT_SSH = /ssh|rsh|host_?key_?checking|KnownHosts|NoHostAuth/i;
/** sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT": perhaps one host by its name, the type, then the key. */
const PUBLIC_KEY =
  /^([^\s*?@]+[ \t]+)?(ssh-(ed25519|rsa)|ecdsa-sha2-nistp(256|384|521))[ \t]+[A-Za-z0-9+/]{40,}={0,2}(?!\S)/;
/** Paramiko's policies that let an unknown host in. */
const PARAMIKO = /set_missing_host_key_policy\(\s*[\w.]*(AutoAdd|Warning)Policy/;

export const isSshClient = (name: string): boolean => CLIENTS.has(name);
export const isPublicKey = (text: string): boolean => PUBLIC_KEY.test(text);

/** Whether options of SSH accept a host key that nobody has seen before. */
export const acceptsAnyKey = (options: string): boolean => UNCHECKED.test(options);

/** Whether a script leaves it to a variable. */
export const leavesOpen = (script: string): boolean => /StrictHostKeyChecking[\s="']+\$/i.test(script);

export const isSshConfigPath = (path: string): boolean => CONFIG_PATH.test(path);

/** Whether the first line of a text that is no comment begins a section of a client's configuration. */
export function beginsLikeSshConfig(text: string): boolean {
  // One by one: millions of them are more than a pattern for all of them can hold.
  const comment = /\s*#[^\n]*\n/y;
  const section = /\s*(Host|Match)[\s=]/iy;
  while (comment.test(text)) section.lastIndex = comment.lastIndex;
  return section.test(text);
}

/** The line of a configuration file that does so. */
export const acceptingLine = (text: string): string | undefined => LINE.exec(text)?.[1];

/** The call of a Python program that does so. */
export const acceptingCall = (text: string): string | undefined => PARAMIKO.exec(text)?.[0];

/** Whether a setting or a variable does so. */
export const acceptingSetting = ({ path, value }: Pick<Setting, "path" | "value">): boolean =>
  path.some((key) => ABOUT_SSH.test(key)) && acceptsAnyKey(`${path.at(-1)}=${String(value)}`);
