import { describe, expect, it } from "vitest";
import { typed } from "./argv.ts";
import { contentOf } from "./read.ts";
import { seedOf } from "./sources.ts";

const FUNNEL = "tailscale funnel 443";
const started = async (props: Record<string, unknown>, type = "command:remote:Command") =>
  (await contentOf(await seedOf({ type, props: props as never }))).commands.map(typed);
const local = (props: Record<string, unknown>) => started(props, "command:local:Command");

describe("a program on stdin is found, whatever runs it", () => {
  it.each([
    "bash -euo pipefail -s",
    "bash -s foo",
    "bash -e -o pipefail",
    "ssh root@h bash -s -- x",
    "ssh -p 22 host",
    "ssh -i key root@h",
    "sudo -i",
    "su -",
    "su - root -c sh",
    "nsenter -t 1 -a",
    "at now",
    "base64 -w0 | base64 -d | sh; sed s/a/a/ | sh",
    'eval "$(cat)"',
    'sh -c "$(cat)"',
    'x=$(cat); eval "$x"',
    "eval $(</dev/stdin)",
    "echo $(cat | sh)",
    "bash < /dev/stdin",
    ". /dev/stdin",
    "sh /dev/stdin",
    "while read -r l; do $l; done",
    'while IFS= read -r l; do sh -c "$l"; done',
    "xargs -L1 sudo",
    "xargs -d '\\n' -I{} sh -c {}",
    "parallel",
    "cat > /tmp/x && sh /tmp/x",
    "install -m755 /dev/stdin /usr/local/lib/x; /usr/local/lib/x",
    "cp /dev/stdin /etc/cron.daily/x",
    "sudo bash -c 'cat > /etc/cron.daily/x'",
    "D=/usr/local/bin; tee $D/x",
    "echo s >/tmp/log.md; tee /etc/cron.daily/x",
    "tee /tmp/log.md | tee /etc/cron.daily/x",
    "{ echo set -e; cat; } | sh",
    "sg docker",
    "nix-shell",
    "run0",
  ])("%s", async (create) => {
    expect(await started({ create, stdin: FUNNEL })).toContain(FUNNEL);
  });

  it("in a crontab", async () => {
    expect(await started({ create: "crontab -", stdin: `@daily ${FUNNEL}\n` })).toContain(FUNNEL);
  });
  it("in a makefile", async () => {
    expect(await started({ create: "make -f -", stdin: `all:\n\t@${FUNNEL}\n` })).toContain(FUNNEL);
  });
  it("when it is decoded", async () => {
    const stdin = Buffer.from(FUNNEL).toString("base64");
    expect(await started({ create: "base64 -d | sh", stdin })).toContain(FUNNEL);
    expect(await started({ create: "sudo sh -c 'base64 -d > /etc/cron.daily/x'", stdin })).toContain(FUNNEL);
  });
  it("when openssl decodes it", async () => {
    const stdin = Buffer.from(FUNNEL).toString("base64");
    expect(await started({ create: "openssl base64 -d -A | sh", stdin })).toContain(FUNNEL);
  });
  it("with the environment in a file that a shell runs", async () => {
    const stdin = '#!/bin/sh\neval "$C"\n';
    const create = "cat > /tmp/x && sh /tmp/x";
    expect(await started({ create, stdin, environment: { C: FUNNEL } })).toContain(FUNNEL);
  });
  it("past the end of a here-document that it imitates", async () => {
    const stdin = `INPUT\nINPUT__\n${FUNNEL}\n`;
    expect(await started({ create: "ssh host 'while read -r a b; do $a $b; done'", stdin })).toContain(
      FUNNEL,
    );
    expect(await started({ create: "ssh host 'xargs -L1 env'", stdin })).toContain(FUNNEL);
  });
  it("in a payload that another program reads too", async () => {
    const stdin = JSON.stringify({ files: [{ path: "/usr/local/bin/x", content: FUNNEL }] });
    expect(await started({ create: "tee /root/x.nix | sudo tool stage", stdin })).toContain(FUNNEL);
  });
  it("once, when a file of it looks like what it is", async () => {
    const stdin = `[Service]\nExecStart=${FUNNEL}\n`;
    const found = await started({ create: "tee /etc/systemd/system/a.service; systemctl start a", stdin });
    expect(found.filter((each) => each === FUNNEL)).toHaveLength(1);
  });
  it("when it is a part of a command", async () => {
    expect(await started({ create: "xargs tailscale", stdin: "funnel 443" })).toContain(FUNNEL);
    expect(
      await started({ create: "while read a b; do tailscale $a $b; done", stdin: "funnel 443" }),
    ).toContain(FUNNEL);
    expect(await started({ create: "mapfile -t a; tailscale $a", stdin: "funnel\n443" })).toContain(
      "tailscale funnel",
    );
  });
  it.each(["python3 -u", "python3 - --flag"])("in Python for %s", async (create) => {
    const stdin = 'import subprocess\nsubprocess.run(["tailscale", "funnel", "443"])\n';
    expect(await started({ create, stdin })).toContain(FUNNEL);
  });
  it("in each of several places", async () => {
    const stdin = "#!/bin/sh\ntailscale funnel 443\n";
    const { texts } = await contentOf(
      await seedOf({ type: "command:remote:Command", props: { create: "tee /etc/a.md /root/b", stdin } }),
    );
    expect(texts.filter(({ at }) => at === "stdin").map(({ path }) => path)).toEqual([
      "/etc/a.md",
      "/root/b",
    ]);
  });
  it("when it only runs at the end of the resource", async () => {
    expect(await started({ create: "true", delete: "sh", stdin: FUNNEL })).toContain(FUNNEL);
  });
  it("by its first line, in a file that is started", async () => {
    const stdin = '#!/usr/bin/python3\nimport os\nos.system("tailscale funnel 443")\n';
    expect(await started({ create: "cat > /tmp/x; chmod +x /tmp/x; /tmp/x", stdin })).toContain(FUNNEL);
  });
});

describe("data on stdin is no program", () => {
  it.each([
    "grep -q funnel",
    "jq .",
    "sha256sum",
    "podman load",
    "psql",
    "tool",
    "sh script.sh",
    "python3 script.py",
    "wc -l | sh -c 'cat > /tmp/n'",
    'while read -r l; do echo "$l"; done',
    "cat > /etc/motd",
    "tee /etc/motd > /dev/null",
    "cat",
  ])("%s", async (create) => {
    expect(await started({ create, stdin: FUNNEL })).not.toContain(FUNNEL);
  });
});

describe("a command's environment is known to its scripts", () => {
  it.each([
    ["$C", { C: FUNNEL }, FUNNEL],
    ['eval "$C"', { C: FUNNEL }, FUNNEL],
    ['sh -c "$C"', { C: FUNNEL }, FUNNEL],
    ['printf %s "$C" | sh', { C: FUNNEL }, FUNNEL],
    ['eval "$A"', { A: "tailscale $B 443", B: "funnel" }, FUNNEL],
    ["ufw $V", { V: "disable" }, "ufw disable"],
    ["ssh $O h", { O: "-o StrictHostKeyChecking=no" }, "ssh -o StrictHostKeyChecking=no h"],
  ])("%s", async (create, environment, command) => {
    expect(await started({ create, environment })).toContain(command);
    expect(await local({ create, environment })).toContain(command);
    expect(await local({ create, environment, interpreter: ["/usr/bin/env", "bash", "-c"] })).toContain(
      command,
    );
    expect(await started({ create: "sh", stdin: create, environment })).toContain(command);
  });
});

describe("an interpreter is a command like any other", () => {
  it.each([
    [["/usr/bin/env", "bash", "-c"], FUNNEL],
    [["sudo", "sh", "-c"], FUNNEL],
    [["busybox", "sh", "-c"], FUNNEL],
    [["ssh", "root@vm"], FUNNEL],
    [["docker", "exec", "ts", "sh", "-c"], FUNNEL],
    [["nix-shell", "--run"], FUNNEL],
    [["tailscale", "funnel"], "443"],
    [["sh", "-c", FUNNEL], "x"],
    [["sh"], FUNNEL],
    [["mysh", "-c"], FUNNEL],
    [["sudo", "python3", "-c"], 'import os\nos.system("tailscale funnel 443")'],
    [["node"], 'require("child_process").execSync("tailscale funnel 443")'],
  ])("%j", async (interpreter, create) => {
    expect(await local({ interpreter, create })).toContain(FUNNEL);
  });
  it("with options of its own", async () => {
    const interpreter = ["ssh", "-oStrictHostKeyChecking=no", "root@vm"];
    expect(await local({ interpreter, create: "true" })).toContain(
      "ssh -oStrictHostKeyChecking=no root@vm true",
    );
  });
  it("which reads stdin", async () => {
    expect(await local({ interpreter: ["bash", "-s"], create: "x", stdin: FUNNEL })).toContain(FUNNEL);
    expect(await local({ interpreter: ["sudo", "sh", "-c"], create: "sh", stdin: FUNNEL })).toContain(FUNNEL);
    expect(await local({ interpreter: ["ssh", "root@vm"], create: "sh", stdin: FUNNEL })).toContain(FUNNEL);
  });
});
