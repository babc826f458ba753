import { describe, expect, test } from "vitest";
import { typed } from "../argv.ts";
import { UNKNOWN } from "../content.ts";
import { contentOf } from "../read.ts";
import { readShell } from "./shell.ts";

const started = async (text: string) =>
  (await contentOf({ texts: [{ at: "script", text, format: "shell" }] })).commands.map(typed);
const FUNNEL = "tailscale funnel 443";

describe("a script that calls more than is read with its arguments", () => {
  const calls = `log(){ echo "$1"; }\n${"log a\n".repeat(4001)}`;
  test.each([
    ["eval", `${calls}eval "${FUNNEL}"`],
    ["an alias", `alias t='tailscale funnel'\n${calls}t 443`],
    ["eval in a function", `${calls}run() { eval "${FUNNEL}"; }\nrun`],
    ["eval in many functions", `f() { eval "$1"; }\n${'f "true"\n'.repeat(2001)}eval "${FUNNEL}"`],
  ])("hides nothing in %s", async (_what, text) => {
    expect(await started(text)).toContain(FUNNEL);
  });
  test("starts something unknown, which is said once", async () => {
    const found = await started(`run() { "$@"; }\n${"run true\n".repeat(4001)}run ${FUNNEL}`);
    expect(found.filter((each) => each === "…")).toHaveLength(1);
  });
  test("hides nothing in an eval of an eval", async () => {
    expect(await started(`${"eval ".repeat(12)}${FUNNEL}`)).toContain(FUNNEL);
  });
  test("hides nothing in what is called from what is called", async () => {
    const nested = Array.from({ length: 10 }, (_, index) => `f${index}() { f${index + 1}; }\n`).join("");
    expect(await started(`${nested}f10() { eval "${FUNNEL}"; }\nf0`)).toContain(FUNNEL);
    expect(await started(`alias t='${FUNNEL}'\n${nested}f10() { t; }\nf0`)).toContain(FUNNEL);
  });
});

describe("more than sixteen items end in an unknown one", () => {
  const items = Array.from({ length: 17 }, (_, index) => `i${index}`);
  test.each([
    ["xargs -I", `printf '%s\\n' ${items.join(" ")} | xargs -I{} podman pull {}`],
    ["xargs -L1", `printf '%s\\n' ${items.join(" ")} | xargs -L1 podman pull`],
    ["xargs -n1", `echo ${items.join(" ")} | xargs -n1 podman pull`],
    ["parallel", `parallel podman pull ::: ${items.join(" ")}`],
    ["parallel with lines", `printf '%s\\n' ${items.join(" ")} | parallel podman pull`],
  ])("of %s", async (_what, text) => {
    const found = (await started(text)).filter((each) => each.startsWith("podman"));
    expect(found).toContain("podman pull i15");
    expect(found.slice(0, 17)).toContain("podman pull …");
    expect(found).not.toContain("podman pull i16");
  });
  test("of find", async () => {
    const text = `find / ${"-exec true {} \\; ".repeat(16)} -exec ${FUNNEL} \\;`;
    expect(await started(text)).toContain("…");
  });
});

describe("xargs starts a command", () => {
  test.each([
    [`printf 'a\\n${FUNNEL}\\n' | xargs -L1 sudo`, FUNNEL],
    [`printf 'funnel 443 serve 1' | xargs -n 2 tailscale`, FUNNEL],
    [`echo funnel 443 | xargs tailscale`, FUNNEL],
    [`true | xargs tailscale`, "tailscale"],
  ])("%s", async (text, command) => {
    expect(await started(text)).toContain(command);
  });
});

describe("a loop over lines that are read", () => {
  test("runs each", async () => {
    expect(await started(`while read -r l; do $l; done <<'E'\ntrue\n${FUNNEL}\nE`)).toContain(FUNNEL);
    expect(await started(`while read; do $REPLY; done <<'E'\n${FUNNEL}\nE`)).toContain(FUNNEL);
  });
});

describe("what the parser gives up on", () => {
  const deep = '"$('.repeat(20_000);
  test("is an unknown command", () => {
    expect(readShell({ at: "script", text: deep }).commands).toContainEqual({
      at: "script",
      words: [UNKNOWN],
      environment: {},
    });
  });
  test("is an unknown command where it is a part of a script", async () => {
    expect(await started(`x='${deep}'; eval "$x"`)).toContain("…");
  });
});
