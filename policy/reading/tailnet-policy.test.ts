import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "./content.ts";
import { fromPlain } from "./data/payload.ts";
import { tailnetPolicy } from "./tailnet-policy.ts";

describe("tailnetPolicy", () => {
  it("reads grants, old rules, node attributes and auto-approvers", () => {
    const policy = tailnetPolicy(
      `{ // people
        "grants": [{"src": ["autogroup:member"], "dst": ["svc:hermes"], "ip": ["443"], "app": {"x.com/cap": [{}]}, "via": ["tag:r"], "srcPosture": ["posture:a"]}],
        "acls": [{"action": "accept", "users": ["*"], "ports": ["*:*"], "proto": "tcp"}],
        "nodeAttrs": [{"target": ["*"], "attr": ["funnel"]}],
        "autoApprovers": {"services": {"svc:hermes": ["tag:server"]}, "routes": {"10.0.0.0/8": ["tag:r"]}, "exitNode": ["tag:e"]},
      }`,
      "acl",
    );
    expect(policy).toEqual({
      grants: [
        {
          at: "acl › grants[0]",
          src: ["autogroup:member"],
          dst: ["svc:hermes"],
          ip: ["443"],
          app: ["x.com/cap"],
          via: ["tag:r"],
          srcPosture: ["posture:a"],
        },
      ],
      acls: [
        { at: "acl › acls[0]", action: ["accept"], src: ["*"], dst: ["*:*"], proto: ["tcp"], srcPosture: [] },
      ],
      nodeAttrs: [{ at: "acl › nodeAttrs[0]", target: ["*"], attr: ["funnel"], app: [] }],
      autoApprovers: [
        {
          kind: "routes",
          name: "10.0.0.0/8",
          approvers: ["tag:r"],
          at: "acl › autoApprovers.routes.10.0.0.0/8",
        },
        {
          kind: "services",
          name: "svc:hermes",
          approvers: ["tag:server"],
          at: "acl › autoApprovers.services.svc:hermes",
        },
        { kind: "exitNode", name: "", approvers: ["tag:e"], at: "acl › autoApprovers.exitNode" },
      ],
    });
  });

  it.each(["NODEATTRS", "nodeattrs", "NodeAttrſ"])("matches the name %s as Go does", (key) => {
    const policy = tailnetPolicy(`{"${key}": [{"TARGET": "*", "Attr": ["funnel"]}]}`);
    expect(policy?.nodeAttrs).toMatchObject([{ target: ["*"], attr: ["funnel"] }]);
  });

  it("reports both values of a name given twice", () => {
    const policy = tailnetPolicy('{"grants": [{"src": ["a"], "SRC": ["*"]}], "Grants": [{"src": ["b"]}]}');
    expect(policy?.grants.map(({ src }) => src)).toEqual([["a", "*"], ["b"]]);
  });

  it("keeps an unknown value beside known ones", () => {
    const policy = tailnetPolicy(fromPlain({ grants: [{ src: [UNKNOWN, "*"], dst: UNKNOWN }] }));
    expect(policy?.grants).toMatchObject([{ src: [UNKNOWN, "*"], dst: [UNKNOWN] }]);
  });

  it.each(["", "[]", '"grants"', '{"name": "x", "version": 1}'])("takes %s for no policy", (text) => {
    expect(tailnetPolicy(text)).toBeUndefined();
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => void tailnetPolicy(fromPlain({ grants: value, acls: [value] }))),
    );
    fc.assert(fc.property(fc.string(), (text) => void tailnetPolicy(text)));
  });
});
