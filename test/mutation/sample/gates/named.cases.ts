import type { GateCases } from "../../../../policy/testing/cases.ts";

const sample = (name: string) => [{ type: "sample", name, props: {} }] as const;

export const cases: GateCases = {
  level: "mandatory",
  refuses: [
    { title: "localhost", resources: sample("localhost"), says: ["name is"] },
    { title: "gateway", resources: sample("gateway") },
  ],
  allows: [{ title: "a name of its own", resources: sample("hermes") }],
};
