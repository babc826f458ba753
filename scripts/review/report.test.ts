import { expect, it } from "vitest";
import { readEvents, type Step } from "./events.ts";
import { planText } from "./plan.ts";
import { reportMarkdown, reportText, reviewStatus, stoppedMarkdown } from "./report.ts";
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

it("a lowered gate shows at the top, with the level that it has by itself", () => {
  const passed = { policyAnalyzeSummaryEvent: { passed: ["a"] } };
  const events = readEvents(
    [passed, { summaryEvent: { resourceChanges: {} } }].map((event) => JSON.stringify(event)).join("\n"),
  );
  const gates = [
    { id: "a", level: "mandatory", title: "A", byDefault: "advisory" },
    { id: "b", level: "disabled", title: "B", byDefault: "mandatory" },
    { id: "c", level: "advisory", title: "C", byDefault: "mandatory" },
  ];
  const found = { stack: "s", status: 0, events, verdicts: verdicts(gates, events, 0) };
  const text = reportText(found);
  expect(text).toContain("for s: passed; lowered by --policy-pack-config: b (disabled), c (advisory)\n");
  expect(text).toMatch(/ a +mandatory \(by default advisory\) +passed\n/);
  expect(text).toMatch(/ b +disabled \(by default mandatory\) +disabled\n/);
  expect(reportMarkdown(found)).toMatch(
    /: passed; lowered by --policy-pack-config: b .*disabled.* c .*advisory/,
  );
});

it("the reason why a preview failed stands above the table, with the gate that the configuration names", () => {
  const message = 'hermes:container.image = "x:latest": has the tag "latest" (gate pinned-image)';
  const events = readEvents(JSON.stringify({ diagnosticEvent: { severity: "error", message } }));
  const gates = [{ id: "pinned-image", level: "mandatory", title: "Pinned image" }];
  const found = { stack: "s", status: 1, events, verdicts: verdicts(gates, events, 1) };
  expect(reportText(found)).toMatch(
    /^Gates of the policy pack for s: the preview failed by pinned-image\n {2}error: hermes:container.image = .*\n {2}gate /,
  );
  const markdown = reportMarkdown(found);
  expect(markdown.indexOf(message)).toBeLessThan(markdown.indexOf("| gate |"));
  expect(markdown.indexOf(message)).toBeGreaterThan(0);
});

it("a stack that could not be reviewed is not left out", () => {
  expect(stoppedMarkdown("s", EVIL)).toMatch(/^### Stack s: not reviewed\n\n````text\nx\n```\n/);
});

it("a review whose gates are all turned off has not passed", () => {
  const events = readEvents(JSON.stringify({ summaryEvent: { resourceChanges: {} } }));
  const gates = [{ id: "a", level: "disabled", title: "A", byDefault: "advisory" }];
  const found = { stack: "s", status: 0, events, verdicts: verdicts(gates, events, 0) };
  expect(reportText(found)).toContain("for s: no gate judged it\n");
  expect(reviewStatus(found)).toBe(1);
});
