/** The built engine with this project's language host: a component, a dynamic resource and a policy pack. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pulumiEnvironment } from "../environment.ts";
import { ENGINE_BIN, NODE_MODULES } from "../paths.ts";
import { ensureWrappers } from "./wrappers.ts";

const PULUMI = join(ENGINE_BIN, "pulumi");
// 10 seconds on an idle machine; the lab may be running beside it.
const TIMEOUT = 300_000;

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ name: "scratch", type: "module", main: "index.ts" }),
  "Pulumi.yaml": "name: scratch\nruntime:\n  name: nodejs\n  options: {typescript: false}\n",
  "index.ts": `
    import * as pulumi from "@pulumi/pulumi";
    import { Greeting } from "./greeting.ts";
    interface BoxArgs { size: pulumi.Input<number> }
    class Box extends pulumi.ComponentResource {
      constructor(name: string, args: BoxArgs) {
        super("scratch:index:Box", name, { ...args });
        this.registerOutputs({});
      }
    }
    const config = new pulumi.Config();
    new Box("box", { size: config.requireNumber("size") });
    const greeting = new Greeting("greeting", { word: config.require("word") });
    export const said = greeting.said;
    export const node: string = process.version;
    export const secretIsSecret: pulumi.Output<boolean> = pulumi.output(pulumi.isSecret(config.requireSecret("token")));
  `,
  "greeting.ts": `
    import * as pulumi from "@pulumi/pulumi";
    const provider: pulumi.dynamic.ResourceProvider = {
      async create(inputs) { return { id: "greeting", outs: { ...inputs, said: "Good " + inputs.word + " from " + process.version } }; },
      async update(_id, _olds, news) { return { outs: { ...news, said: "Good " + news.word + " from " + process.version } }; },
    };
    export class Greeting extends pulumi.dynamic.Resource {
      declare readonly said: pulumi.Output<string>;
      constructor(name: string, args: { word: pulumi.Input<string> }) {
        super(provider, name, { said: undefined, ...args });
      }
    }
  `,
  "policy/package.json": JSON.stringify({
    name: "gates",
    version: "1.0.0",
    type: "module",
    main: "index.js",
  }),
  "policy/PulumiPolicy.yaml": "runtime: nodejs\nmain: index.js\n",
  // The ordinary host loads a pack through ts-node: one line of JavaScript hands it over to Node's own loader.
  "policy/index.js": 'import "./index.ts";\n',
  "policy/index.ts": `
    import { PolicyPack } from "@pulumi/policy";
    import { sizeGate } from "./gate.ts";
    new PolicyPack("gates", { enforcementLevel: "mandatory", policies: [sizeGate] });
  `,
  "policy/gate.ts": `
    import { Config } from "@pulumi/pulumi";
    import type { ResourceValidationPolicy } from "@pulumi/policy";
    export const sizeGate: ResourceValidationPolicy = {
      name: "size", description: "A box has a limit.",
      validateResource: (args, report) => {
        // A pack sees the stack's configuration.
        const limit = new Config("scratch").requireNumber("limit");
        const { size } = args.props;
        if (args.type === "scratch:index:Box" && size > limit) report("size is " + size + ", at most " + limit + " is allowed");
      },
    };
  `,
};

describe.skipIf(!existsSync(PULUMI))(
  `the built engine${existsSync(PULUMI) ? "" : " (skipped: it is only built where there is no other, and .cache/tools/engine/bin/pulumi is absent)"}`,
  () => {
    let folder: string;
    let env: NodeJS.ProcessEnv;

    const pulumi = (...args: string[]): Promise<{ status: number; output: string }> =>
      new Promise((resolve) => {
        // Called from elsewhere: the program's folder is not the current one.
        const command = ["--cwd", join(folder, "program"), "--non-interactive", "--color=never", ...args];
        execFile(PULUMI, command, { cwd: "/", env }, (error, stdout, stderr) =>
          resolve({ status: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
        );
      });

    async function expectSuccess(...args: string[]): Promise<string> {
      const { status, output } = await pulumi(...args);
      expect({ status, output }).toEqual({ status: 0, output: expect.any(String) });
      return output;
    }

    const gated = ["--policy-pack", "policy"];

    beforeAll(async () => {
      ensureWrappers();
      folder = mkdtempSync(join(tmpdir(), "engine-test-"));
      mkdirSync(join(folder, "state"));
      for (const [name, text] of Object.entries(FILES)) {
        const file = join(folder, "program", name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
      symlinkSync(NODE_MODULES, join(folder, "program/node_modules"));
      env = {
        ...pulumiEnvironment({
          engine: { binFolders: [ENGINE_BIN] },
          backendUrl: pathToFileURL(join(folder, "state")).href,
          passphrase: "test",
          plugins: "stand-in",
        }),
        PULUMI_HOME: join(folder, "home"),
      };
      await expectSuccess("stack", "init", "test");
      const plain = ["size=11", "limit=10", "word=morning"].flatMap((setting) => ["--plaintext", setting]);
      await expectSuccess("config", "set-all", ...plain, "--secret", "token=geheim");
    }, TIMEOUT);

    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test(
      "a mandatory policy refuses a preview, by name and with its reason",
      async () => {
        const { status, output } = await pulumi("preview", ...gated);
        expect(output).toMatch(
          /gates@v1\.0\.0[^\n]*\n\s+- \[mandatory\]\s+size\s+\(scratch:index:Box: box\)/,
        );
        expect(output).toContain("size is 11, at most 10 is allowed");
        expect(status).not.toBe(0);
      },
      TIMEOUT,
    );

    test(
      "up, an up without changes, an in-place update and destroy work",
      async () => {
        const up = ["up", "--yes", "--skip-preview"];
        const created = await expectSuccess(...up, "--config", "size=3", ...gated);
        expect(created).toMatch(/\+ 3 created/);
        // A host that is found by chance on PATH, and not as the engine's own, is warned about.
        expect(created).not.toMatch(/warning/i);
        const outputs: unknown = JSON.parse(await expectSuccess("stack", "output", "--json"));
        expect(outputs).toEqual({
          said: `Good morning from ${process.version}`,
          node: process.version,
          secretIsSecret: true,
        });
        expect(await expectSuccess(...up, "--expect-no-changes")).toMatch(/3 unchanged/);
        expect(await expectSuccess(...up, "--config", "word=evening")).toMatch(/~ 1 updated/);
        expect(await expectSuccess("destroy", "--yes", "--skip-preview")).toMatch(/- 3 deleted/);
      },
      TIMEOUT,
    );

    test(
      "an error of the program is shown once, without a second one of the host",
      async () => {
        writeFileSync(join(folder, "program/index.ts"), 'throw new Error("the program says no");\n');
        const { status, output } = await pulumi("preview");
        expect(output).toContain("the program says no");
        expect(output).not.toContain("the program exited with");
        expect(status).not.toBe(0);
      },
      TIMEOUT,
    );
  },
);
