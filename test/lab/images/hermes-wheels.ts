import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { step } from "../../../scripts/setup/progress.ts";
import { cached, here } from "./folder.ts";

/** Wheels for the image's Python, whatever Python this machine has; newest ABI of each wheel set first. */
const target = [
  "--python-version=3.11",
  "--implementation=cp",
  ...["cp311", "abi3", "none"].map((abi) => `--abi=${abi}`),
  ...["manylinux_2_28", "manylinux_2_17", "manylinux2014", "manylinux_2_12", "manylinux2010"].map(
    (tag) => `--platform=${tag}_x86_64`,
  ),
  "--platform=manylinux_2_5_x86_64",
  "--platform=manylinux1_x86_64",
];

/** Unpacks Hermes and all it needs, each wheel checked against its hash, as a tar archive for `/`. */
export async function unpackHermes(output: string): Promise<void> {
  const tree = `${output}.tree`;
  await step({
    title: "Hermes 0.19.0 and its packages",
    log: "image-hermes-wheels",
    estimateSeconds: 45,
    command: [
      "sh",
      join(here, "hermes", "unpack.sh"),
      pip(),
      join(here, "hermes-requirements.txt"),
      tree,
      output,
      ...target,
    ],
    timeoutSeconds: 900,
  });
}

/** A pip of our own: Debian's Python has none outside virtual environments, or refuses to be used. */
function pip(): string {
  const environment = cached("pip");
  const program = join(environment, "bin", "pip");
  if (!existsSync(program)) {
    try {
      execFileSync("python3", ["-m", "venv", environment], { stdio: "pipe" });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `python3 could not make a virtual environment in ${environment} (${reason}). ` +
          "Install the Debian package python3-venv and run this again.",
      );
    }
  }
  return program;
}
