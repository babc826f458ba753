import type { GateCases } from "../../../../policy/testing/cases.ts";

export const cases: GateCases = {
  level: "mandatory",
  refuses: [],
  allows: [{ title: "anything", resources: [{ type: "sample", props: {} }] }],
};
