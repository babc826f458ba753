import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../content.ts";
import { readScript } from "./script.ts";

/** Milliseconds of the processor: what else the machine does must not count. */
const cpuTime = () => process.cpuUsage().user / 1000;

const read = (text: string, path = "/usr/local/bin/x.py") => readScript({ text, at: "x", path });
const argv = (text: string, path?: string) => (read(text, path).commands ?? []).map(({ words }) => words);
const shell = (text: string, path?: string) =>
  (read(text, path).texts ?? []).map(({ text: source }) => source);

describe("readScript", () => {
  it("takes the literals of a list or a call for a command, and the rest of it for unknown words", () => {
    expect(argv('run("podman", "pull", image, timeout=1800)')).toEqual([["podman", "pull", UNKNOWN]]);
    expect(argv('subprocess.run(["tailscale", "funnel", "443"], check=True)')).toContainEqual([
      "tailscale",
      "funnel",
      "443",
    ]);
    expect(argv('ARGS = ["tailscale", f"{mode}", "4" "43"]')).toEqual([["tailscale", UNKNOWN, "443"]]);
    expect(argv('os.execlp("tailscale", "tailscale", "funnel")')).toEqual([["tailscale", "funnel"]]);
  });

  it("counts a name that is bound to one literal as that literal", () => {
    expect(argv('MODE = "funnel"\nrun("tailscale", MODE)')).toEqual([["tailscale", "funnel"]]);
    expect(argv('M = "a"\nM = "b"\nrun("tailscale", M)')).toEqual([["tailscale", UNKNOWN]]);
    expect(shell('C = "tailscale funnel 443"\nos.system(C)')).toEqual(["tailscale funnel 443"]);
  });

  it("takes a literal with blanks for shell where a function runs it", () => {
    expect(shell('os.system("tailscale funnel 443")')).toEqual(["tailscale funnel 443"]);
    expect(shell('subprocess.run(f"tailscale {mode} 443", shell=True)')).toEqual([
      "tailscale $UNKNOWN_VALUE 443",
    ]);
    expect(shell('x = "tailscale funnel".split()')).toEqual(["tailscale funnel"]);
  });

  it("reads JavaScript, Perl and Ruby", () => {
    expect(argv('spawn("tailscale", ["funnel", "443"]); // ["tailscale", "up"]', "x.js")).toContainEqual([
      "tailscale",
      "funnel",
      "443",
    ]);
    expect(argv('system "tailscale", "funnel";', "x.pl")).toEqual([["tailscale", "funnel"]]);
    expect(shell("system 'tailscale funnel 443';\n`tailscale up`", "x.rb")).toEqual([
      "tailscale funnel 443",
      "tailscale up",
    ]);
  });

  it("reads neither comments nor docstrings nor what is said to people", () => {
    const text = `#!/usr/bin/python3
"""run(["tailscale", "funnel"])"""
# os.system("tailscale funnel 443")
def f():
    """os.system("tailscale funnel 443")"""
    print("tailscale", "funnel")
    if x in ("tailscale", "funnel"): pass
`;
    expect(read(text)).toEqual({ commands: [], texts: [] });
  });

  it("finds what the guest's tool runs, fast and without a false alarm", () => {
    const text = readFileSync(new URL("../../../scripts/guest/hermes-guest", import.meta.url), "utf8");
    const commands = argv(text, "/usr/local/bin/hermes-guest");
    expect(commands).toContainEqual(["podman", "pull", "--quiet", UNKNOWN]);
    expect(commands).toContainEqual(["podman", "image", "rm", "--ignore", UNKNOWN]);
    expect(commands.flat()).not.toContain("tailscale");
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 20; round++) {
      const start = cpuTime();
      argv(text);
      best = Math.min(best, cpuTime() - start);
    }
    expect(best).toBeLessThan(10);
  });

  it("never throws", () => {
    const unit = fc.constantFrom(..."ab([{}]),\"'`\\#/*\n =.$f:");
    const path = fc.constantFrom("x.py", "x.js", "x.pl", "x");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 80 }), path, (text, at) => void read(text, at)),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["brackets", "(".repeat(500_000)],
    ["quotes", '"'.repeat(500_000)],
    ["open pieces", `f"${"{".repeat(999_999)}`],
    ["pieces", `f"${"{a} ".repeat(250_000)}"`],
    ["dots", "a.".repeat(500_000)],
    ["a list", `x = [${'"a", '.repeat(200_000)}]`],
    ["lists in lists", '["a", '.repeat(160_000)],
    ["calls", 'run("podman", "pull", x)\n'.repeat(40_000)],
  ])("reads much of nothing but %s within a second", (_, text) => {
    const start = cpuTime();
    read(text);
    expect(cpuTime() - start).toBeLessThan(3000);
  });
});
