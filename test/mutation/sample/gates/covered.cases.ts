import type { GateCases } from "../../../../policy/testing/cases.ts";

const sample = (tags: string, type = "sample") => [{ type, props: { tags } }] as const;

export const cases: GateCases = {
  level: "mandatory",
  refuses: [
    { title: "latest", resources: sample("v1 latest"), says: ["tags has"] },
    { title: "main", resources: sample("main") },
    { title: "three tags", resources: sample("v1 v2 v3"), says: ["tags is"] },
    { title: "two tags where one is allowed", resources: sample("v1 v2"), settings: { most: 1 } },
  ],
  allows: [
    { title: "two tags that stay", resources: sample("v1 v2") },
    { title: "another resource", resources: sample("latest", "other") },
  ],
};
