import type { SyntaxNode } from "unbash";
import type { Text } from "./content.ts";

type Use = Pick<Text, "format" | "path">;
type CommandNode = Extract<SyntaxNode, { type: "Command" }>;

/** What a command line does with its standard input, as far as that can be told: a shell runs it, or it lands in a file. */
export async function readerOfInput(command: string): Promise<Use> {
  const { parse, forEachChild } = await import("unbash");
  let use: Use = {};
  const visit = (node: SyntaxNode): void => {
    if (node.type === "Command") use = { ...useBy(node), ...use };
    forEachChild(node, visit);
  };
  visit(parse(command));
  return use;
}

function useBy(node: CommandNode): Use {
  const words = [node.name, ...node.suffix].flatMap((part) => (part?.type === "Word" ? [part.value] : []));
  const names = words.map((word) => word.slice(word.lastIndexOf("/") + 1));
  // Behind `sudo -n`, `env X=1`, `ssh host` the shell's name is a word like any other; with a script it reads no input.
  const shell = names.findIndex((name) => /^(ba|da|a|k|z)?sh$/.test(name));
  if (shell >= 0 && words.slice(shell + 1).every((word) => /^-(?!.*c)/.test(word) || word === "-")) {
    return { format: "shell" };
  }
  const interpreter = names.findIndex((name) => /^(python|perl|ruby|node|php|lua)[\d.]*$/.test(name));
  if (interpreter >= 0 && words.slice(interpreter + 1).every((word) => word === "-"))
    return { format: "script" };
  if (names[0] === "ssh" && words.slice(1).filter((word) => !word.startsWith("-")).length === 1) {
    return { format: "shell" };
  }
  if (names.includes("set-raw")) return { format: "json" };
  const tee = names.indexOf("tee");
  const written =
    tee >= 0
      ? words.slice(tee + 1).find((word) => !word.startsWith("-"))
      : names.includes("install")
        ? words.at(-1)
        : redirectedTo(node);
  return written === undefined || written === "/dev/null" ? {} : { path: written };
}

function redirectedTo(node: CommandNode): string | undefined {
  for (const part of [...node.prefix, ...node.suffix]) {
    if (part.type === "Redirect" && /^(>|>>|>\|)$/.test(part.operator)) return part.target?.value;
  }
  return undefined;
}
