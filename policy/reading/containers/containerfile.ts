import { type Known, type Launch, type Reader, UNKNOWN } from "../content.ts";
import { pulls } from "./other-tools.ts";

/** A Containerfile (`podman build`): the images that its stages are built from, which get pulled; what `RUN` runs. */
export const readContainerfile: Reader = ({ text, at }) => {
  const launches: Launch[] = [];
  const commands: string[] = [];
  const stages = new Set(["scratch"]);
  const defaults = new Map<string, Known<string>>();
  for (const line of text.replace(/\\[ \t]*\r?\n/g, " ").split(/\r?\n/)) {
    const [, instruction = "", rest = ""] = /^[ \t]*([A-Za-z]+)[ \t]+(\S.*)$/.exec(line) ?? [];
    const words = rest.trim().split(/[ \t]+/);
    const flags = words.findIndex((word) => !word.startsWith("--"));
    const [first = "", as, name] = words.slice(Math.max(flags, 0));
    if (/^arg$/i.test(instruction)) {
      const [, variable = "", value] = /^(\w+)(?:=(.*))?$/.exec(first) ?? [];
      // Whoever builds may give another one.
      defaults.set(variable, value === undefined ? UNKNOWN : value.replace(/^(["'])(.*)\1$/, "$2"));
    } else if (/^run$/i.test(instruction)) commands.push(words.slice(Math.max(flags, 0)).join(" "));
    const sources = /^from$/i.test(instruction)
      ? [first]
      : words.filter((word) => /^--from=./.test(word)).map((word) => word.slice("--from=".length));
    for (const source of sources) {
      const image = filled(source, defaults);
      if (image === "" || (image !== UNKNOWN && (stages.has(image.toLowerCase()) || /^\d+$/.test(image))))
        continue;
      launches.push(...pulls([image], `${at} › ${instruction.toUpperCase()}`));
    }
    if (/^from$/i.test(instruction) && /^as$/i.test(as ?? "") && name !== undefined)
      stages.add(name.toLowerCase());
  }
  const texts = commands.map((command) => ({
    at: `${at} › RUN`,
    text: asShell(command),
    format: "shell" as const,
  }));
  return { launches, texts };
};

function filled(text: string, defaults: ReadonlyMap<string, Known<string>>): Known<string> {
  let unknown = false;
  const plain = text.replace(
    /\$(?:(\w+)|\{(\w+)(?::?-([^${}]*))?\})/g,
    (_, bare?: string, braced?: string, other?: string) => {
      const value = defaults.get(bare ?? braced ?? "") ?? other ?? UNKNOWN;
      if (value === UNKNOWN) unknown = true;
      return value === UNKNOWN ? "" : value;
    },
  );
  return unknown || plain.includes("$") ? UNKNOWN : plain;
}

/** `RUN ["program", "word"]` has no shell. */
function asShell(command: string): string {
  if (!command.startsWith("[")) return command;
  try {
    const words: unknown = JSON.parse(command);
    return Array.isArray(words)
      ? words.map((word) => `'${String(word).replaceAll("'", "'\\''")}'`).join(" ")
      : command;
  } catch {
    return command;
  }
}
