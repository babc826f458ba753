import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { gates } from "../../policy/gates.ts";
import { ScratchStack } from "../support/engine.ts";
import { cleared, shippedConfig, type Tree } from "../support/settings.ts";

let stack: ScratchStack;
beforeAll(async () => {
  stack = await ScratchStack.make();
});
afterAll(() => stack.remove());

const guest = (config: Tree) => config["hermes:guest"] as Tree;
const container = (config: Tree) => config["hermes:container"] as Tree;
const environment = (config: Tree) => container(config)["environment"] as Tree;
const volumes = (config: Tree) => container(config)["volumes"] as Tree[];

type Break = readonly [title: string, stacks: readonly string[], change: (config: Tree) => void];
const BOTH = ["pve-sbx", "chopper"];

/** For each gate, an edit of a stack file that breaks it and nothing else. */
const BREAKS: Readonly<Record<string, readonly Break[]>> = {
  "no-funnel": [
    [
      "the container's command turns it on",
      BOTH,
      (config) => {
        container(config)["command"] = ["tailscale", "FUNNEL", "9119"];
      },
    ],
  ],
  "pinned-image": [
    [
      "a tag that moves",
      BOTH,
      (config) => {
        container(config)["image"] = "docker.io/nousresearch/hermes-agent:latest";
      },
    ],
  ],
  "persistent-data": [
    [
      "memory instead of a disk",
      BOTH,
      (config) => Object.assign(volumes(config)[0] ?? {}, { kind: "tmpfs" }),
    ],
    [
      "the image store's disk",
      BOTH,
      (config) => Object.assign(volumes(config)[0] ?? {}, { source: "/var/lib/containers" }),
    ],
  ],
  "loopback-dashboard": [
    [
      "every address",
      BOTH,
      (config) => {
        environment(config)["HERMES_DASHBOARD_HOST"] = "0.0.0.0";
      },
    ],
    [
      "the API on every address",
      BOTH,
      (config) => {
        environment(config)["API_SERVER_HOST"] = "0.0.0.0";
      },
    ],
  ],
  "no-published-port": [
    [
      "a network of the container's own",
      BOTH,
      (config) => {
        container(config)["network"] = "bridge";
      },
    ],
    [
      "a port map",
      BOTH,
      (config) => {
        container(config)["ports"] = ["9119:9119"];
      },
    ],
  ],
  "placement-gate": [
    [
      "a phase that is open again",
      ["pve-sbx"],
      (config) => {
        ((guest(config)["placement"] as Tree)["phases"] as Tree)["3"] = "open";
      },
    ],
  ],
  "no-management-credentials": [
    [
      "a token in a variable",
      BOTH,
      (config) => {
        environment(config)["NOTE"] = "hermes@pve!deploy=01234567-89ab-cdef-0123-456789abcdef";
      },
    ],
  ],
  "pinned-host-key": [
    [
      "an empty key",
      ["pve-sbx"],
      (config) => {
        guest(config)["hostKey"] = "";
      },
    ],
    [
      "an empty key of the host",
      ["chopper"],
      (config) => {
        (config["hermes:ssh"] as Tree)["hostKey"] = "";
      },
    ],
  ],
  "distinct-names": [
    [
      "the service's name",
      BOTH,
      (config) => {
        guest(config)["hostname"] = "hermes";
      },
    ],
    [
      "a tap of 16 characters",
      ["chopper"],
      (config) => {
        guest(config)["tap"] = "vm-hermes-agents";
      },
    ],
  ],
  "protected-state": [
    [
      "a data disk that may go",
      BOTH,
      (config) => {
        guest(config)["onDestroy"] = "delete-data";
      },
    ],
  ],
  "shared-tailnet-policy": [
    [
      "the container replaces the policy file",
      BOTH,
      (config) => {
        container(config)["command"] = [
          "curl",
          "-d",
          "@policy",
          "https://api.tailscale.com/api/v2/tailnet/-/acl",
        ];
      },
    ],
  ],
  "guest-firewall": [
    [
      "the container's command turns it off",
      BOTH,
      (config) => {
        container(config)["command"] = ["nft", "flush", "ruleset"];
      },
    ],
  ],
  "sandboxed-tools": [
    [
      "the root engine's socket",
      BOTH,
      (config) =>
        volumes(config).push({
          source: "/run/podman/podman.sock",
          target: "/var/run/docker.sock",
          kind: "bind",
        }),
    ],
  ],
};

/** What no key of a stack file reaches: the grant, which belongs to the tailnet; of chopper, what is about a cluster. */
const NO_KEY: Readonly<Record<string, readonly string[]>> = {
  "pve-sbx": ["narrow-grant"],
  chopper: ["narrow-grant", "placement-gate"],
};

const preview = (file: string, change: (config: Tree) => unknown) =>
  stack.run(
    ["preview", "--policy-pack", "policy"],
    shippedConfig(file, (config) => {
      if (file === "pve-sbx") cleared(config);
      change(config);
    }),
  );

it.each(BOTH)("has an edit of %s for every mandatory gate that a key reaches", (file) => {
  const mandatory = gates.filter(({ level }) => level === "mandatory").map(({ id }) => id);
  const edited = Object.entries(BREAKS).flatMap(([gate, breaks]) =>
    breaks.some(([, stacks]) => stacks.includes(file)) ? [gate] : [],
  );
  expect([...edited, ...(NO_KEY[file] ?? [])].toSorted()).toEqual(mandatory.toSorted());
});

describe.each(BOTH)("the stack file of %s", (file) => {
  it("passes every mandatory gate as it is, with its placement cleared", () => {
    const { status, output } = preview(file, () => {});
    expect(output).not.toContain("[mandatory]");
    expect(status, output).toBe(0);
  });

  const edits = Object.entries(BREAKS).flatMap(([gate, breaks]) =>
    breaks.flatMap(([title, stacks, change]) =>
      stacks.includes(file) ? [[gate, title, change] as const] : [],
    ),
  );
  it.each(edits)("fails by the gate %s: %s", (gate, _title, change) => {
    const { status, output } = preview(file, change);
    expect(status).not.toBe(0);
    // The gate itself speaks, or the configuration's own check, which names it.
    const spoke = [
      ...output.matchAll(/\[mandatory\].*?(?:\s)([a-z]+(?:-[a-z]+)+) {2}\(|\(gate ([a-z-]+)\)/g),
    ];
    expect(new Set(spoke.map(([, byPack, byConfig]) => byPack ?? byConfig)), output).toEqual(new Set([gate]));
  });
});
