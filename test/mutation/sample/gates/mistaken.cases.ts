import type { GateCases } from "../../../../policy/testing/cases.ts";

export const cases: GateCases = {
  level: "mandatory",
  refuses: [{ title: "latest", resources: [{ type: "sample", props: { tag: "latest" } }], says: ["tag "] }],
  allows: [{ title: "a tag that stays", resources: [{ type: "sample", props: { tag: "v1" } }] }],
};
