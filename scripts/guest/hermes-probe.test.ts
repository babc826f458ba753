import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

const PROBE = fileURLToPath(new URL("hermes-probe", import.meta.url));
const SHOWN = {
  LoadState: "loaded",
  ActiveState: "active",
  SubState: "running",
  Result: "success",
  MainPID: "812",
  NRestarts: "0",
};

// curl and the server are real; systemctl, podman and journalctl are doubles that know one call each.
const doubles = {
  systemctl: `[ "$*" = "show hermes.service --property=LoadState,ActiveState,Result,MainPID,NRestarts" ] || exit 64
cat "$DOUBLES/shown"`,
  podman: `[ "$*" = "inspect --type container --format {{.ImageName}} hermes" ] || exit 64
cat "$DOUBLES/image" 2>/dev/null || { echo "no such container" >&2; exit 125; }`,
  journalctl: `[ "$*" = "-u hermes.service -n 200 --no-pager -o cat" ] || exit 64
cat "$DOUBLES/journal"`,
};

let folder: string;
let answer: (response: ServerResponse) => void;
const server = createServer((_, response) => answer(response));
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "probe-"));
  for (const [name, body] of Object.entries(doubles))
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  shown({});
  answers('{"version":"0.19.0"}');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function shown(changes: Partial<typeof SHOWN>): void {
  const lines = Object.entries({ ...SHOWN, ...changes }).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(join(folder, "shown"), lines.join(""));
}

function answers(body: string, status = 200, headers: Readonly<Record<string, string>> = {}): void {
  answer = (response) => response.writeHead(status, headers).end(body);
}

const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/status`;

async function probe(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  shell = ["/bin/sh"],
) {
  const [command = "", ...rest] = [...shell, PROBE, ...args];
  const child = spawn(command, rest, {
    env: {
      PATH: `${folder}:${process.env["PATH"]}`,
      DOUBLES: folder,
      HERMES_UNIT: "hermes.service",
      HERMES_CONTAINER: "hermes",
      HERMES_STATUS_URL: url(),
      ...env,
    },
  });
  child.stdin.end();
  const status = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, stdout, stderr };
}

async function status(env: Readonly<Record<string, string>> = {}): Promise<Record<string, string>> {
  const result = await probe(["status"], env);
  expect([result.status, result.stderr]).toEqual([0, ""]);
  const lines = result.stdout.split("\n");
  expect(lines.pop()).toBe("");
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

describe("status", () => {
  test("states the unit, the version, the image and the host key", async () => {
    writeFileSync(join(folder, "image"), "docker.io/nousresearch/hermes-agent:v2026.7.20\n");
    expect(await status()).toEqual({
      state: "active",
      result: "success",
      pid: "812",
      restarts: "0",
      version: "0.19.0",
      image: "docker.io/nousresearch/hermes-agent:v2026.7.20",
    });
  });

  test("says the same under bash in its POSIX mode", async () => {
    const [sh, bash] = await Promise.all([probe(["status"]), probe(["status"], {}, ["bash", "--posix"])]);
    expect(bash).toEqual(sh);
  });

  test.each([
    ["with whitespace", ' {\n "version" :\t"0.21.0" }\n', "0.21.0"],
    [
      "behind others of its name in deeper objects",
      '{"api":{"version":"9"},"list":[{"version":"8"}],"version":"0.19.0"}',
      "0.19.0",
    ],
    [
      "beside the same word as a value",
      '{"word":"version","other":"\\"version\\":\\"1\\"","version":"0.19.0","n":[1,{"a":null}]}',
      "0.19.0",
    ],
    ["beside text of other scripts", '{"motto":"grüße {[","version":"0.19.0"}', "0.19.0"],
  ])("finds the version %s", async (_, body, version) => {
    answers(body);
    expect((await status())["version"]).toBe(version);
  });

  test.each([
    ["no JSON", "<html>version</html>"],
    ["nothing", ""],
    ["a list", '[{"version":"1"}]'],
    ["only a deeper version", '{"a":{"version":"1"}}'],
    ["two versions", '{"version":"1","version":"2"}'],
    ["a number", '{"version":1}'],
    ["an object as version", '{"version":{"version":"1"}}'],
    ["an empty version", '{"version":""}'],
    ["a version with odd characters", '{"version":"1\\n2"}'],
    ["a version with a line break", '{"version":"1\n2"}'],
    ["a version with a space", '{"version":"1 state=active"}'],
    ["a very long version", `{"version":"${"1".repeat(65)}"}`],
    ["an object that is cut off", '{"version":"1"'],
    ["a string that is cut off", '{"version":"1'],
    ["brackets that do not match", '{"version":"1","a":[}'],
    ["something after the object", '{"version":"1"} {"x":1}'],
  ])("does not take %s for a version", async (_, body) => {
    answers(body);
    const found = await status();
    expect(found["version"]).toBeUndefined();
    expect(found["why"]).toBe(`${url()} answers something else than JSON with a version`);
  });

  test.each([500, 404, 204, 401])(
    "does not take an answer with status %i for a running Hermes",
    async (code) => {
      answers(code === 204 ? "" : '{"version":"1"}', code);
      expect(await status()).toMatchObject({ why: `${url()} answers ${code}` });
    },
  );

  test("follows no redirect", async () => {
    let asked = 0;
    answer = (response) => {
      asked += 1;
      response.writeHead(302, { location: url() }).end('{"version":"1"}');
    };
    expect(await status()).toMatchObject({ why: `${url()} answers 302` });
    expect(asked).toBe(1);
  });

  test("asks no proxy", async () => {
    const proxy = "http://127.0.0.1:1";
    expect(await status({ http_proxy: proxy, all_proxy: proxy, HTTP_PROXY: proxy })).toMatchObject({
      version: "0.19.0",
    });
  });

  test("takes no answer of more than 64 KiB", async () => {
    answers(`{"pad":"${"x".repeat(1 << 16)}","version":"1"}`);
    expect(await status()).toMatchObject({ why: `${url()} gives no whole answer of at most 65536 bytes` });
  });

  test("gives up after five seconds", async () => {
    answer = () => {};
    const began = performance.now();
    expect((await status())["why"]).toMatch(/^curl: \(28\) Operation timed out/);
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  test("says why nothing answers", async () => {
    expect((await status({ HERMES_STATUS_URL: "http://127.0.0.1:1/" }))["why"]).toMatch(
      /^curl: \(7\) .*127\.0\.0\.1 port 1/,
    );
  });

  test.each([
    [
      { ActiveState: "activating", SubState: "auto-restart", NRestarts: "3", MainPID: "0" },
      "hermes.service is activating",
    ],
    [{ ActiveState: "failed", Result: "exit-code" }, "hermes.service is failed"],
    [{ LoadState: "not-found", ActiveState: "inactive" }, "this guest has no unit hermes.service"],
  ])("asks nothing of a unit that is %j", async (changes, why) => {
    shown(changes);
    answer = () => {
      throw new Error("it was asked");
    };
    const found = await status();
    expect(found).toMatchObject({ state: changes.ActiveState, why });
    expect(found["version"]).toBeUndefined();
  });

  test("prints harmless characters only, a line for each value", async () => {
    writeFileSync(join(folder, "image"), "evil\u001b[31m`x`\nstate=active $(id) ü");
    shown({ SubState: "a\u0007'\"<b" });
    const { stdout } = await probe(["status"]);
    expect(stdout).toMatch(/^[A-Za-z0-9 ._:/@+=,()%;?\n-]*$/);
    expect(stdout.match(/^state=/gm)).toHaveLength(1);
  });

  test("answers also when systemd and podman do not", async () => {
    writeFileSync(join(folder, "systemctl"), "#!/bin/sh\nexit 1\n");
    expect(await status()).toEqual({
      state: "unknown",
      result: "",
      pid: "0",
      restarts: "0",
      why: "hermes.service is unknown",
    });
  });
});

test("journal shows the last thirty lines, without podman's own events and control characters", async () => {
  const events = "2026-07-20 10:00:00.1 +0000 UTC m=+0.05 container start 0123 (image=x)\n";
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n${events}\n`);
  writeFileSync(join(folder, "journal"), `${lines.join("")}grüße \u001b[31mred\n`);
  const { stdout, status: code } = await probe(["journal"]);
  expect(code).toBe(0);
  const shownLines = stdout.trim().split("\n");
  expect(shownLines).toHaveLength(30);
  expect(shownLines[0]).toBe("line 11");
  expect(shownLines.at(-1)).toBe("grüße [31mred");
});

test.each([[[]], [["stop"]], [["status", "journal"]], [["journal", "-u", "ssh"]], [[""]]])(
  "the arguments %j end with 2 and do nothing",
  async (args) => {
    const { status: code, stdout } = await probe(args);
    expect([code, stdout]).toEqual([2, ""]);
  },
);
