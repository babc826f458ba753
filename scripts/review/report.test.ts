import { expect, it } from "vitest";
import { readEvents, type Step } from "./events.ts";
import { planText } from "./plan.ts";
import { reportMarkdown, reportText } from "./report.ts";
import { verdicts } from "./verdicts.ts";

const EVIL = "x\n```\n</details>\n| a | b |\n@owner <script>\u001b[2J\n# Approved";

function report(message: string, more: readonly object[] = []) {
  const urn = `urn:pulumi:s::hermes::a:b:C::${EVIL}`;
  const policyEvent = {
    policyName: "g",
    policyPackName: "hermes",
    enforcementLevel: "mandatory",
    message,
    resourceUrn: urn,
  };
  const metadata = { op: "create", urn, type: "a:b:C" };
  const lines = [{ policyEvent }, { resourcePreEvent: { metadata } }, ...more].map((event) =>
    JSON.stringify(event),
  );
  const events = readEvents(lines.join("\n"));
  const gates = [{ id: "g", level: "mandatory", title: "Gate" }];
  return { stack: "s", status: 1, events, verdicts: verdicts(gates, events, 1) };
}

it("a program's text cannot break out of the Markdown", () => {
  const diagnosticEvent = { severity: "error", message: EVIL };
  const markdown = reportMarkdown(report(EVIL, [{ diagnosticEvent }]));
  const outside = markdown.split(/^````text$[\s\S]*?^````$/m);
  expect(outside).toHaveLength(3);
  const text = outside.join("");
  expect(text.match(/<\/?\w+/g)).toEqual(
    ["<details", "<summary", "</summary", "</details"]
      .flatMap((tag) => [tag])
      .concat(["<details", "<summary", "</summary", "</details"]),
  );
  expect(text).not.toMatch(/@owner|^# |^\| a|`/m);
  expect(text).toContain("> **g**, x &#96;&#96;&#96;");
});

it("the terminal gets the table, each violation, and no control characters", () => {
  const text = reportText(report("The image is\n  not pinned.\u001b[2J"));
  expect(text).toMatch(
    /^Gates of the policy pack for s: refused by g\n {2}gate {2}level {6}verdict\n {2}g {5}mandatory {2}refused: 1\n/,
  );
  expect(text).toContain("\n  The image is not pinned.[2J");
  expect(text).not.toContain("\u001b");
});

it("the plan says what changes, and shows no secret", () => {
  const step = (more: Partial<Step>): object => ({
    resourcePreEvent: { metadata: { op: "update", urn: "u::a", type: "t", ...more } },
  });
  const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "c" };
  const events = readEvents(
    [
      step({ op: "same" }),
      step({ op: "create", type: "pulumi:providers:command", urn: "u::default_1_2_1" }),
      step({ op: "create-replacement", logical: false }),
      step({
        detailedDiff: { image: { kind: "update" }, token: { kind: "update" }, stdin: { kind: "update" } },
        old: { inputs: { image: "v1", token: secret, stdin: "a".repeat(100) } },
        new: { inputs: { image: "v2", token: secret, stdin: "b".repeat(100) } },
      }),
      step({ op: "delete", urn: "u::b" }),
    ]
      .map((event) => JSON.stringify(event))
      .join("\n"),
  );
  expect(planText(events)).toBe('~  update  t a [image "v1" → "v2", token, stdin]\n-  delete  t b');
  expect(planText(readEvents(""))).toBe("No changes.");
});
