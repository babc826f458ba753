import { expect, it } from "vitest";
import { UsageError } from "./arguments.ts";
import { configuredGates } from "./pack-config.ts";

const GATES = [
  { id: "strict", level: "mandatory", title: "Strict" },
  { id: "advice", level: "advisory", title: "Advice", settings: ["memoryMiB"] },
].map((gate) => ({ settings: [], ...gate }));
const levels = (config: unknown) =>
  configuredGates(GATES, JSON.stringify(config), "gates.json").map(({ level, byDefault }) => [
    level,
    byDefault,
  ]);

it.each([
  [{}, ["mandatory", undefined], ["advisory", undefined]],
  [{ strict: "disabled" }, ["disabled", "mandatory"], ["advisory", undefined]],
  [{ strict: { enforcementLevel: "advisory" } }, ["advisory", "mandatory"], ["advisory", undefined]],
  [{ advice: { memoryMiB: [1, 2] } }, ["mandatory", undefined], ["advisory", undefined]],
  [{ all: "disabled", advice: "mandatory" }, ["disabled", "mandatory"], ["mandatory", "advisory"]],
  [{ all: "mandatory", advice: { memoryMiB: [1, 2] } }, ["mandatory", undefined], ["mandatory", "advisory"]],
])("%j sets the levels", (config, strict, advice) => {
  expect(levels(config)).toEqual([strict, advice]);
});

it.each([
  [{ strickt: "advisory" }, "gates.json: there is no gate strickt; there are all, strict, advice"],
  [{ toString: "advisory" }, "gates.json: there is no gate toString; there are all, strict, advice"],
  [
    { advice: { memory: [1, 2] } },
    "gates.json: advice has no setting memory; there are enforcementLevel, memoryMiB",
  ],
  [{ all: { memoryMiB: [] } }, "gates.json: all has no setting memoryMiB; there are enforcementLevel"],
  [["strict"], "gates.json is no JSON object of gates and their levels or settings"],
])("%j is refused, since the engine would pass over it", (config, message) => {
  expect(() => levels(config)).toThrow(new UsageError(message));
});

it("a text that is no JSON is refused with the name of its file", () => {
  expect(() => configuredGates(GATES, "{ strict", "gates.json")).toThrow(/^gates\.json is no JSON: /);
});
