import { readdirSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";

/**
 * Every file below a path (or the file itself), each as a pair of name and content for a fingerprint: the name says
 * where it lies and whether it can be run.
 */
export function filesBelow(path: string): [string, { file: string }][] {
  const files = statSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
    : [path];
  return files.map((file) => {
    const runs = (statSync(file).mode & 0o100) !== 0;
    return [`${join(basename(path), relative(path, file))}${runs ? " (runs)" : ""}`, { file }];
  });
}
