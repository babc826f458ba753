import { describe, expect, test } from "vitest";
import { typed } from "../argv.ts";
import { contentOf } from "../read.ts";

const FUNNEL = "tailscale funnel 443";
const started = async (text: string) =>
  (await contentOf({ texts: [{ at: "script", text, format: "shell" }] })).commands.map(typed);

describe("what a program starts is found", () => {
  test.each([
    `run0 ${FUNNEL}`,
    `run0 -u root --setenv=A=1 ${FUNNEL}`,
    `fish -c '${FUNNEL}'`,
    `tcsh -c '${FUNNEL}'`,
    `tmux new -d '${FUNNEL}'`,
    `tmux -L x new-session -d -s name ${FUNNEL}`,
    `tmux new -d \\; send-keys -t 0 '${FUNNEL}' Enter`,
    `tmux send tailscale Space funnel Space 443 C-m`,
    `tmux run-shell '${FUNNEL}'`,
    `tmux split-window -h -t x '${FUNNEL}'`,
    `tmux display-popup -w 80 -h 20 '${FUNNEL}'`,
    `screen -dmS name ${FUNNEL}`,
    `screen -S name -X stuff '${FUNNEL}\\n'`,
    `screen -S name -X screen ${FUNNEL}`,
    `sg docker -c '${FUNNEL}'`,
    `sg docker '${FUNNEL}'`,
    `echo '${FUNNEL}' | sg docker`,
    `echo '${FUNNEL}' | newgrp docker`,
    `systemd-nspawn -D /x -E A=1 ${FUNNEL}`,
    `bwrap --ro-bind / / --dev /dev --unshare-all ${FUNNEL}`,
    `bwrap --bind / / -- ${FUNNEL}`,
    `capsh --drop=all -- -c '${FUNNEL}'`,
    `printf 'all:\\n\\t@${FUNNEL}\\n' | make -f -`,
    `git -c alias.x='!${FUNNEL}' x`,
    `git config --global alias.x '!${FUNNEL}'`,
    `git -c core.pager='${FUNNEL}' log`,
    `git submodule foreach '${FUNNEL}'`,
    `awk 'BEGIN{system("${FUNNEL}")}'`,
    `gawk -F: -v a=b 'BEGIN { system("${FUNNEL}") }'`,
    `cloud-init-per once x ${FUNNEL}`,
    `echo '${FUNNEL}' | sudo sh -c 'cat > /etc/cron.daily/x'`,
    `echo '${FUNNEL}' | su - root -c sh`,
    `echo '${FUNNEL}' | nix-shell`,
    `sh -c '. /dev/stdin' <<<'${FUNNEL}'`,
  ])("%s", async (text) => {
    expect(await started(text)).toContain(FUNNEL);
  });
});

describe("what a program does not start is no command", () => {
  test.each([
    `git commit -m '${FUNNEL}'`,
    `git -c user.name='${FUNNEL}' commit`,
    `awk '/tailscale funnel 443/ { print }'`,
    `capsh --print '${FUNNEL}'`,
    `echo '${FUNNEL}' | make -f Makefile`,
    `echo '${FUNNEL}' | sh -c 'cat > /etc/motd'`,
    `screen -ls '${FUNNEL}x'`,
  ])("%s", async (text) => {
    expect(await started(text)).not.toContain(FUNNEL);
  });
});
