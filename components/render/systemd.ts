/** Texts for systemd unit files and Quadlet units: pure functions, no I/O. */

export type Section = readonly [name: string, entries: ReadonlyArray<readonly [key: string, value: string]>];

/** A unit file: a header that says who wrote it, then the sections in order. Empty sections are left out. */
export function unitFile(sections: readonly Section[]): string {
  const blocks = sections
    .filter(([, entries]) => entries.length > 0)
    .map(([name, entries]) => `[${name}]\n${entries.map(([key, value]) => `${key}=${value}\n`).join("")}`);
  return `# Written by the Pulumi project "hermes". A change here is overwritten by the next deploy.\n\n${blocks.join("\n")}`;
}

/** Doubles `%`, which introduces a specifier in a unit file (systemd.unit(5), "Specifiers"). */
export function withoutSpecifiers(text: string): string {
  return text.replaceAll("%", "%%");
}

/**
 * One word of a command line or of `Environment=` (systemd.syntax(7), "Quoting"): double quotes with C-style
 * escapes when anything but plain characters is in it.
 * @throws RangeError for control characters: a unit file is read line by line.
 */
export function word(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) {
    throw new RangeError(`a control character cannot stand in a unit file: ${JSON.stringify(text)}`);
  }
  const escaped = withoutSpecifiers(text);
  if (/^[A-Za-z0-9_@%$+=:,./-]+$/.test(escaped)) return escaped;
  return `"${escaped.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** The same for a value that ends up in the command line of a service, where systemd would expand `$NAME`. */
export function commandWord(text: string): string {
  return word(text.replaceAll("$", "$$$$"));
}

/** The unit name of a path, as `systemd-escape --path` gives it, with its suffix. */
export function pathUnit(path: string, suffix: "mount" | "device" | "automount"): string {
  const trimmed = path.split("/").filter(Boolean).join("/");
  if (trimmed === "") return `-.${suffix}`;
  const escaped = [...Buffer.from(trimmed)].map((byte, index) => {
    const character = String.fromCharCode(byte);
    if (character === "/") return "-";
    if (/[A-Za-z0-9:_]/.test(character) || (character === "." && index > 0)) return character;
    return `\\x${byte.toString(16).padStart(2, "0")}`;
  });
  return `${escaped.join("")}.${suffix}`;
}
