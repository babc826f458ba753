import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { findOnPath } from "./setup/commands.ts";
import { ensureDebianPackages } from "./setup/debian-packages.ts";
import { main } from "./setup/main.ts";
import { ROOT } from "./setup/paths.ts";
import { findPython } from "./setup/python.ts";
import { shebangProgram } from "./setup/shebang.ts";

/** Formatter, linter, types, shell scripts, Python syntax and generated files. Changes nothing. */
await main(async () => {
  if (findOnPath("shellcheck").length === 0) await ensureDebianPackages(["shellcheck"]);
  const files = tracked();
  const shell = files.filter((file) => [".sh", ".bash"].includes(extname(file)) || program(file) === "sh");
  const python = files.filter((file) => extname(file) === ".py" || program(file) === "python3");
  const checks: ReadonlyArray<readonly [title: string, command: string, args: readonly string[]]> = [
    ["format and lint", "node_modules/.bin/biome", ["check", "."]],
    ["types", "node_modules/.bin/tsc", ["-p", "."]],
    ["shell scripts", "shellcheck", shell],
    [
      "Python syntax",
      findPython(),
      ["-c", "import ast, sys\nfor f in sys.argv[1:]: ast.parse(open(f).read(), f)", ...python],
    ],
    ["generated files", process.execPath, ["scripts/generate.ts", "--check"]],
  ];
  let failed = 0;
  for (const [title, command, args] of checks) {
    const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit" });
    if (error !== undefined) console.error(`${command}: ${error.message}`);
    console.log(`${status === 0 ? "passed" : "FAILED"}: ${title}`);
    if (status !== 0) failed += 1;
  }
  return failed === 0 ? 0 : 1;
});

function tracked(): string[] {
  const { stdout } = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  // The index also lists what was deleted and not yet committed.
  return stdout.split("\0").filter((file) => file !== "" && existsSync(join(ROOT, file)));
}

/** What runs a file without an extension. */
function program(file: string): string | undefined {
  if (extname(file) !== "") return undefined;
  return shebangProgram(readFileSync(join(ROOT, file), "utf8").split("\n", 1)[0] ?? "");
}
