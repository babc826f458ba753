import type { Expected } from "../../expectation.ts";

export const cases: Expected = {
  refuses: [{ title: "latest", resources: [{ type: "sample", props: { tag: "latest" } }], says: ["tag "] }],
  allows: [{ title: "a tag that stays", resources: [{ type: "sample", props: { tag: "v1" } }] }],
};
