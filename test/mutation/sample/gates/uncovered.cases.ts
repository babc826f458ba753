import type { GateCases } from "../../../../policy/testing/cases.ts";

export const cases: GateCases = {
  level: "advisory",
  refuses: [
    { title: "latest", resources: [{ type: "sample", props: { tag: "latest" } }], says: ["it: tag moves"] },
  ],
  allows: [{ title: "a tag that stays", resources: [{ type: "sample", props: { tag: "v1" } }] }],
};
