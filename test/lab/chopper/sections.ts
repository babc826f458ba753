import type { SshMachine } from "./ssh-machine.ts";

/**
 * Runs several commands over one connection, since each costs seconds under emulation.
 * @returns what each printed on both streams, also when it failed.
 */
export async function sections<Name extends string>(
  machine: Pick<SshMachine, "exec">,
  commands: { readonly [name in Name]: string },
): Promise<{ readonly [name in Name]: string }> {
  const entries = Object.entries<string>(commands);
  const script = entries.map(([name, command]) => `printf '\\n@@ %s\\n' ${name}\n( ${command}\n) 2>&1 || :`);
  const found = (await machine.exec(script.join("\n"))).split(/^@@ /m).slice(1);
  return Object.fromEntries(
    entries.map(([name], index) => [name, found[index]?.slice(name.length + 1).trim() ?? ""]),
  ) as { readonly [name in Name]: string };
}
