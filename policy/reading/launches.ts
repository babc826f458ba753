import type { Launch } from "./content.ts";
import { UNKNOWN } from "./content.ts";

/** The container's folder that must last: memories, sessions, skills, credentials. */
export const DATA = "/opt/data";

/** Whether a launch is the args of a component; every other stands in a text. */
export const isComponent = ({ component }: Launch): boolean => component === true;

/**
 * Whether a container is (or may be) Hermes: by its image's name, its data folder or its variables. An image that
 * nobody can tell from the text may be it.
 */
export function mayBeHermes({ image, mounts, environment }: Launch): boolean {
  if (image === UNKNOWN || image?.match(/hermes/i)) return true;
  return (
    mounts.some(({ target }) => target !== UNKNOWN && within(target, DATA)) ||
    Object.keys(environment).some((name) => name.startsWith("HERMES_"))
  );
}

/** An absolute path without `.`, `..`, doubled or trailing slashes; `/var/run` is `/run` on every system of today. */
export function normalised(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  const joined = `/${parts.join("/")}`;
  return joined.replace(/^\/var\/run(?=\/|$)/, "/run").replace(/^\/var\/lock(?=\/|$)/, "/run/lock");
}

/** Whether `path` is `folder` or lies below it. */
export function within(path: string, folder: string): boolean {
  const [inner, outer] = [normalised(path), normalised(folder)];
  return inner === outer || outer === "/" || inner.startsWith(`${outer}/`);
}

export const isKnown = <T>(value: T): value is Exclude<T, typeof UNKNOWN | undefined> =>
  value !== UNKNOWN && value !== undefined;
