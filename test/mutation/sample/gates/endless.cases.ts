import type { GateCases } from "../../../../policy/testing/cases.ts";

const sample = (text: string) => [{ type: "sample", props: { text } }] as const;

export const cases: GateCases = {
  level: "mandatory",
  refuses: [{ title: "an x before the end", resources: sample("abxc"), says: ["text has"] }],
  allows: [{ title: "no x", resources: sample("abc") }],
};
