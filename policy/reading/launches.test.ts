import { describe, expect, it } from "vitest";
import { type Launch, UNKNOWN } from "./content.ts";
import { isComponent, isKnown, mayBeHermes, normalised, within } from "./launches.ts";

const launch = (more: Partial<Launch>): Launch => ({
  at: "create",
  verb: "run",
  environment: {},
  mounts: [],
  ports: [],
  privileges: [],
  command: [],
  ...more,
});
const mount = (target: string | typeof UNKNOWN) =>
  ({ at: "-v", kind: "bind", target, readOnly: false, options: [] }) as const;

describe("a container", () => {
  it("may be Hermes by its image, its data folder or its variables", () => {
    expect(mayBeHermes(launch({ image: "docker.io/nousresearch/Hermes-agent:v1" }))).toBe(true);
    expect(mayBeHermes(launch({ image: UNKNOWN }))).toBe(true);
    expect(mayBeHermes(launch({ image: "a", mounts: [mount("/srv"), mount("/opt/data/skills")] }))).toBe(
      true,
    );
    expect(mayBeHermes(launch({ image: "a", environment: { A: "1", HERMES_HOME: "/x" } }))).toBe(true);
  });

  it("is not Hermes by anything else", () => {
    expect(mayBeHermes(launch({}))).toBe(false);
    const other = { image: "caddy", mounts: [mount("/opt/data2"), mount(UNKNOWN)] };
    expect(mayBeHermes(launch({ ...other, environment: { NOT_HERMES_: "HERMES_" } }))).toBe(false);
  });

  it("is a component's where it says so", () => {
    expect(isComponent(launch({ component: true }))).toBe(true);
    expect(isComponent(launch({}))).toBe(false);
  });
});

describe("a path", () => {
  it.each([
    ["/opt//data/", "/opt/data"],
    ["/opt/./x/../data", "/opt/data"],
    ["/../a", "/a"],
    ["", "/"],
    ["/var/run/x.sock", "/run/x.sock"],
    ["/var/run", "/run"],
    ["/var/runner", "/var/runner"],
    ["/srv/var/run", "/srv/var/run"],
    ["/var/lock/x", "/run/lock/x"],
    ["/var/lock", "/run/lock"],
    ["/var/locks", "/var/locks"],
    ["/srv/var/lock", "/srv/var/lock"],
  ])("%s is %s", (path, expected) => {
    expect(normalised(path)).toBe(expected);
  });

  it("is within itself and each folder above it, and no other", () => {
    expect(within("/opt/data/", "/opt/data")).toBe(true);
    expect(within("/opt/data/a", "/opt/data/.")).toBe(true);
    expect(within("/opt", "/")).toBe(true);
    expect(within("/opt/data2", "/opt/data")).toBe(false);
    expect(within("/opt", "/opt/data")).toBe(false);
  });
});

it("a value is known unless it is unknown or missing", () => {
  expect([UNKNOWN, undefined, "", 0, null].map((value) => isKnown(value))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});
