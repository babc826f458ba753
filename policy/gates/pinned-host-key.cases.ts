import { type Case, type GateCases, secret, unknown } from "../testing/cases.ts";

type Resources = Case["resources"];
const KEY = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"B".repeat(43)}`;
const PINNED = { host: "198.51.100.7", user: "root", hostKey: KEY };

const connection = (given: unknown, type = "command:remote:Command"): Resources => [
  { type, props: { create: "true", connection: given } },
];
const hostKey = (value: unknown): Resources => connection({ ...PINNED, hostKey: value });
const local = (create: string, more: object = {}): Resources => [
  { type: "command:local:Command", props: { create, ...more } },
];
const file = (path: string, text: string): Resources => local(`tee ${path}`, { stdin: text });
const named = (texts: readonly string[]): Case[] =>
  texts.map((text) => ({ title: `the command ${JSON.stringify(text)}`, resources: local(text) }));

export const cases: GateCases = {
  level: "mandatory",
  allows: [
    { title: "a connection with a key", resources: connection(PINNED) },
    { title: "a key with a comment", resources: hostKey(`${KEY} root@chopper`) },
    { title: "a line of known_hosts", resources: hostKey(`chopper ${KEY}\n`) },
    { title: "a line of known_hosts with more blanks", resources: hostKey(`[chopper]:22 \t${KEY}`) },
    {
      title: "a host that a variable names, beside another text about the option",
      resources: local('ssh "$HOST" id', { update: "echo StrictHostKeyChecking=$X" }),
    },
    ...["ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"].map((type) => ({
      title: `a key of the type ${type}`,
      resources: hostKey(`${type} ${"A".repeat(68)}==`),
    })),
    { title: "a key after two blanks", resources: hostKey(KEY.replace(" ", "  ")) },
    { title: "a secret connection with a key", resources: connection(secret(PINNED)) },
    { title: "a connection that is not known yet", resources: connection(unknown) },
    { title: "a key that is not known yet", resources: hostKey(unknown) },
    {
      title: "a connection as the provider shows it while a part is unknown",
      resources: connection({ host: "", user: "root", port: 22 }),
    },
    {
      title: "a jump host with a key",
      resources: connection({ ...PINNED, proxy: { host: "jump", hostKey: KEY } }),
    },
    { title: "a jump host that is not known yet", resources: connection({ ...PINNED, proxy: unknown }) },
    { title: "a command on the deploying machine", resources: local("true") },
    { title: "another type of resource", resources: connection({ host: "x" }, "x:y:Z") },
    ...named([
      "ssh -o StrictHostKeyChecking=yes host id",
      "ssh -o StrictHostKeyChecking=ask host id",
      "ssh -o StrictHostKeyChecking=no-thanks host id",
      "ssh -o UserKnownHostsFile=/dev/nullable host id",
      "ssh -o UserKnownHostsFile=none-such host id",
      "ssh -o UserKnownHostsFile=/etc/ssh/known_hosts host id",
      "ssh -y host id",
      "ssh -o KnownHostsCommand=none host id",
      "ssh -o NoHostAuthenticationForLocalhost=no host id",
      "ssh -o NoHostAuthenticationForLocalhost=yes-or-no host id",
      'X=yes; ssh -o StrictHostKeyChecking=$X "$HOST" id',
      'ssh -o StrictHostKeyChecking=yes "$HOST" id',
      "echo StrictHostKeyChecking=$X; ssh host id",
      "dbclient -i key host id",
      "rsync -e 'ssh -p 2222' a host:",
      "echo 'never StrictHostKeyChecking=no'",
      "# ssh -o StrictHostKeyChecking=no host",
      "ssh-keygen -F host",
      "NOTE='StrictHostKeyChecking=no' true",
      "GIT_SSH_COMMAND='ssh -i key' git pull",
      "dbclient -i -yes host id",
      "dbclient host x-y",
      '"$SSH" host id',
    ]),
    {
      title: "a client's configuration that checks",
      resources: file(
        "/root/.ssh/config",
        "Host *\n  StrictHostKeyChecking yes\n  # StrictHostKeyChecking no\n",
      ),
    },
    ...["md", "txt", "rst", "html", "MD"].map((ending) => ({
      title: `notes that mention the option, with the ending ${ending}`,
      resources: file(
        `/root/notes.${ending}`,
        "Never write this:\n\n    StrictHostKeyChecking no\n    set_missing_host_key_policy(AutoAddPolicy())\n",
      ),
    })),
    ...[
      ["StrictHostKeyChecking no is what we never use.\n", "by the option's name"],
      ["Host keys\n=========\nStrictHostKeyChecking no is what we never use.\n", "like a configuration"],
      ["Notes\n\nHost keys are pinned, never:\n\n    StrictHostKeyChecking no\n", "in another way"],
      ["See Host in ssh_config(5)\nStrictHostKeyChecking no\n", "with another word"],
      ["Hosts\n    StrictHostKeyChecking no\n", "by a longer word"],
    ].map(([text = "", how]) => ({
      title: `notes without an ending that begin ${how}`,
      resources: file("/var/lib/hermes/NOTES", text),
    })),
    ...[
      "x.ssh/config",
      ".ssh/config.old",
      "my_ssh_configs",
      "xssh_config",
      "ansible.cfg.md",
      "my-ansible.cfgs",
    ].map((path) => ({
      title: `notes that mention the option at ${path}`,
      resources: file(`/root/${path}`, "StrictHostKeyChecking no\nhost_key_checking = no\n"),
    })),
    {
      title: "notes whose place is not known",
      resources: local('cat > "$NOTES"', { stdin: "StrictHostKeyChecking no\n" }),
    },
    {
      title: "notes beside another program's -F, and beside an ssh that only sends them",
      resources: local(
        "ssh -F /etc/ssh/ssh_config host cat < /root/NOTES; scp /root/NOTES host:; ls /a/root/NOTES; tee /root/NOTES",
        {
          stdin: "StrictHostKeyChecking no\n",
        },
      ),
    },
    {
      title: "a setting of something else",
      resources: file("/x.json", '{"note": "StrictHostKeyChecking=no", "sshd": {"x": "no"}}'),
    },
    {
      title: "a Python program that only mentions the policy",
      resources: file(
        "/x.py",
        "# AutoAddPolicy is refused here\nclient.set_missing_host_key_policy(RejectPolicy())\n",
      ),
    },
  ],
  refuses: [
    ...["command:remote:Command", "command:remote:CopyToRemote", "command:remote:CopyFile"].map((type) => ({
      title: `a ${type} without a key`,
      resources: connection({ host: "198.51.100.7" }, type),
      says: ["it: connection.hostKey is not set, so any host's key is accepted.", "ssh-ed25519 AAAA…"],
    })),
    {
      title: "no connection",
      resources: [{ type: "command:remote:Command", props: { create: "true" } }],
      says: ["connection is missing"],
    },
    { title: "a secret connection without a key", resources: connection(secret({ host: "x" })) },
    { title: "no key beside an unknown value", resources: connection({ host: unknown, user: unknown }) },
    { title: "an empty key", resources: hostKey(""), says: ["is not set"] },
    { title: "a key of blanks", resources: hostKey(" \n"), says: ["is not set"] },
    { title: "a key that is no text", resources: hostKey(["x"]), says: ["is not set"] },
    { title: "a fingerprint", resources: hostKey(`SHA256:${"a".repeat(43)}`), says: ["is no public key"] },
    {
      title: "a key that is cut off",
      resources: hostKey("ssh-ed25519 AAAAC3"),
      says: ['connection.hostKey is "ssh-ed25519 AAAAC3", which is no public key'],
    },
    { title: "a placeholder", resources: hostKey("ssh-ed25519 <the key of the host>") },
    { title: "a key with something at its end", resources: hostKey(`${KEY}!`) },
    { title: "a key with something at its beginning", resources: hostKey(`x${KEY}`) },
    { title: "a key of another kind", resources: hostKey(`ssh-dss ${"A".repeat(68)}`) },
    {
      title: "a jump host without a key",
      resources: connection({ ...PINNED, proxy: { host: "jump" } }),
      says: ["connection.proxy.hostKey is not set"],
    },
    {
      title: "an option whose value is a variable's",
      resources: local('ssh -o StrictHostKeyChecking="$X" host id'),
      says: ["leaves StrictHostKeyChecking to a variable"],
    },
    { title: "the key of an authority", resources: hostKey(`@cert-authority * ${KEY}`) },
    { title: "a key of every host", resources: hostKey(`* ${KEY}`) },
    { title: "a key of many hosts", resources: hostKey(`host? ${KEY}`) },
    {
      title: "a client's configuration that asks whoever answers",
      resources: file("/root/.ssh/config", "KnownHostsCommand /usr/bin/ssh-keyscan %H\n"),
    },
    ...named([
      "ssh -o KnownHostsCommand='/usr/bin/ssh-keyscan %H' host id",
      "ssh -o 'KnownHostsCommand = \"/x\"' host id",
      "ssh -oStrictHostKeyChecking=$X host id",
      "ssh -o 'stricthostkeychecking '$X host id",
      "ssh -o NoHostAuthenticationForLocalhost=yes localhost id",
      "ssh -o 'NoHostAuthenticationForLocalhost = yes' localhost id",
      "ssh -o StrictHostKeyChecking=no host id",
      "ssh -oStrictHostKeyChecking=no host id",
      ...(
        "ssh scp sftp rsync autossh mosh sshfs sshuttle ssh-copy-id sshpass dbclient pssh parallel-ssh git ansible " +
        "ansible-playbook restic borg rclone nix nix-copy-closure nixos-rebuild nixos-anywhere colmena deploy"
      )
        .split(" ")
        .map((client) => `${client} --option='StrictHostKeyChecking no' host`),
      ...["no", "off", "false", "accept-new"].map(
        (value) => `ssh -o 'strictHostKeyChecking = ${value}' host`,
      ),
      ...["False", "0", "no"].map((value) => `ANSIBLE_HOST_KEY_CHECKING=${value} ansible-playbook x`),
      ...["User", "Global"].flatMap((whose) => [
        `ssh -o '${whose}KnownHostsFile /dev/null' host`,
        `ssh -o ${whose}KnownHostsFile=none host`,
        `ssh -o '${whose}KnownHostsFile = "/dev/null"' host`,
      ]),
      "ssh -o StrictHostKeyChecking=accept-new host id",
      "ssh -o StrictHostKeyChecking=off host id",
      "ssh -o UserKnownHostsFile=/dev/null host id",
      "ssh -o GlobalKnownHostsFile=none host id",
      'ssh "$USER@$HOST" -o StrictHostKeyChecking=no id',
      "sudo -n timeout 9 scp -oStrictHostKeyChecking=no a host:",
      "OPTS='-o StrictHostKeyChecking=no'; ssh $OPTS host id",
      "rsync -e 'ssh -oStrictHostKeyChecking=no' a host:",
      "sshpass -p x ssh -o StrictHostKeyChecking=no host",
      "restic -o sftp.command='ssh -o StrictHostKeyChecking=no host -s sftp' backup /x",
      "git -c core.sshCommand='ssh -o StrictHostKeyChecking=no' pull",
      "GIT_SSH_COMMAND='ssh -o StrictHostKeyChecking=no' git pull",
      "env GIT_SSH_COMMAND='ssh -o StrictHostKeyChecking=no' git pull",
      "export GIT_SSH_COMMAND='ssh -o StrictHostKeyChecking=no'; git pull",
      "NIX_SSHOPTS='-o StrictHostKeyChecking=no' nixos-rebuild switch --target-host x",
      "RSYNC_RSH='ssh -o StrictHostKeyChecking=no' rsync a host:",
      "ANSIBLE_HOST_KEY_CHECKING=False ansible-playbook x.yml",
      "dbclient -y host id",
      "dbclient -yy host id",
      '"$SSH" -o StrictHostKeyChecking=no host',
      "bash -c 'ssh -o StrictHostKeyChecking=no host'",
      "ssh -o ProxyCommand='ssh -o StrictHostKeyChecking=no jump -W %h:%p' host",
    ]),
    {
      title: "an option in a command, with the words",
      resources: local("sudo ssh -o StrictHostKeyChecking=no host id"),
      says: ["ssh -o StrictHostKeyChecking=no host id", "accepts a host key that nobody has seen before"],
    },
    {
      title: "asking whoever answers",
      resources: local("ssh-keyscan host >> ~/.ssh/known_hosts"),
      says: ['"ssh-keyscan host"', "takes the key from whoever answers"],
    },
    {
      title: "a variable of a command's environment",
      resources: local("git pull", { environment: { GIT_SSH_COMMAND: "ssh -o StrictHostKeyChecking=no" } }),
      says: ["environment.GIT_SSH_COMMAND is", "ssh -o StrictHostKeyChecking=no", "accepts a host key"],
    },
    {
      title: "a unit's variable",
      resources: file(
        "/etc/systemd/system/x.service",
        '[Service]\nEnvironment="GIT_SSH_COMMAND=ssh -o StrictHostKeyChecking=no"\nExecStart=/usr/bin/git pull\n',
      ),
    },
    {
      title: "a client's configuration",
      resources: file("/root/.ssh/config", "Host *\n  StrictHostKeyChecking no\n"),
      says: ['stdin is "StrictHostKeyChecking no"', "accepts a host key that nobody has seen before"],
    },
    ...["ssh -F /tmp/x host", "ssh -F/tmp/x host", "ssh -i -F -F/tmp/x host", "true"].map((use) => ({
      title: `a client's configuration that a script writes in another place, and then ${use}`,
      resources: local(
        `printf '${use === "true" ? "# Mine\\n\\n  # (all)\\nHost *\\n\\t" : ""}StrictHostKeyChecking no\\n' > /tmp/x; ${use}`,
      ),
    })),
    ...["Host *", "# ours\n\n  host = *", "Match all", "match\tall"].map((first) => ({
      title: `a client's configuration in another place that begins ${JSON.stringify(first)}`,
      resources: file("/etc/hermes/client", `${first}\n  StrictHostKeyChecking no\n`),
    })),
    ...[
      "/root/ssh_config",
      "ssh_config",
      "/etc/ssh/ssh_config.d/10-x",
      ".ssh/config.d/10-x",
      "~/.ansible.cfg",
    ].map((path) => ({
      title: `a client's configuration at ${path}`,
      resources: file(path, "host_key_checking no\n"),
    })),
    ...["no # lab", '"no"', "no\r", "'no'", "no  "].map((value) => ({
      title: `a client's configuration whose value is ${JSON.stringify(value)}`,
      resources: file("/root/.ssh/config", `StrictHostKeyChecking ${value}\n`),
    })),
    {
      title: "a client's configuration with a strange name",
      resources: file("/etc/ssh/ssh_config.d/x.md.conf", "StrictHostKeyChecking no\n"),
    },
    {
      title: "a client's configuration in cloud-init",
      resources: [
        {
          type: "proxmoxve:index/fileLegacy:FileLegacy",
          props: {
            sourceRaw: {
              data: "#cloud-config\nwrite_files:\n  - path: /etc/ssh/ssh_config.d/x.conf\n    content: |\n      StrictHostKeyChecking accept-new\n",
            },
          },
        },
      ],
    },
    {
      title: "Ansible's configuration",
      resources: file("/etc/ansible.cfg", "[defaults]\nhost_key_checking = False\n"),
    },
    ...["StrictHostKeyChecking", "userKnownHostsFile", "ansible_host_key_checking"].map((key) => ({
      title: `the setting ${key}`,
      resources: file("/x.json", `{"x": {"${key}": "${/Known/.test(key) ? "/dev/null" : "no"}"}}`),
    })),
    {
      title: "the settings KnownHostsCommand and NoHostAuthenticationForLocalhost",
      resources: file(
        "/x.json",
        '{"KnownHostsCommand": "/x", "a": {"NoHostAuthenticationForLocalhost": "yes"}}',
      ),
      says: ["KnownHostsCommand", "NoHostAuthenticationForLocalhost"],
    },
    {
      title: "a list of options",
      resources: [
        { type: "docker:index/provider:Provider", props: { sshOpts: ["-o", "StrictHostKeyChecking=no"] } },
      ],
    },
    {
      title: "a Nix option",
      resources: file(
        "/etc/nixos/x.nix",
        "{ ... }: {\n  programs.ssh.extraConfig = ''\n    StrictHostKeyChecking no\n  '';\n}\n",
      ),
    },
    {
      title: "a Python program's list",
      resources: file("/x.py", 'subprocess.run(["ssh", "-o", "StrictHostKeyChecking=no", "host"])\n'),
    },
    {
      title: "a Python program's policy that only warns",
      resources: file("/x.py", "client.set_missing_host_key_policy( WarningPolicy())\n"),
    },
    {
      title: "a Python program's policy",
      resources: file("/x.py", "client.set_missing_host_key_policy(paramiko.AutoAddPolicy())\n"),
      says: ["AutoAddPolicy"],
    },
  ],
};
