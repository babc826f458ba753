import type { Expected } from "../../expectation.ts";

export const cases: Expected = {
  level: "mandatory",
  refuses: [],
  allows: [{ title: "anything", resources: [{ type: "sample", props: {} }] }],
};
