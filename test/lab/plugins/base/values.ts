// Property values as they travel between the engine and a provider: JSON plus a few marked shapes.
// The marks are constants of the protocol: @pulumi/pulumi/runtime/rpc.js.

export type Value = null | boolean | number | string | Value[] | Values;
export type Values = { [key: string]: Value };
export type Path = readonly (string | number)[];

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";

/** An unknown value of a preview. The engine sends one mark for each type; a provider answers with the first. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const UNKNOWNS = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
  "030794c1-ac77-496b-92df-f27374a8bd58", // asset
  "e48ece36-62e2-4504-bad9-02848725956a", // archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

export function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isUnknown(value: Value | undefined): boolean {
  return typeof value === "string" && UNKNOWNS.has(value);
}

export function isSecret(value: Value | undefined): value is Values & { value: Value } {
  return isObject(value) && value[SIGNATURE] === SECRET;
}

/** An asset, archive or resource reference: opaque to a provider that does not ask for one. */
export function isMarked(value: Value | undefined): boolean {
  return isObject(value) && SIGNATURE in value && !isSecret(value);
}

export function secret(value: Value): Value {
  return isSecret(value) ? value : { [SIGNATURE]: SECRET, value };
}

/** The value without any secret mark, at any depth. */
export function reveal(value: Value): Value {
  if (Array.isArray(value)) return value.map(reveal);
  if (isSecret(value)) return reveal(value.value);
  if (isObject(value)) return revealAll(value);
  return value;
}

export function revealAll(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, reveal(value)]));
}

export function containsUnknown(value: Value | undefined): boolean {
  if (Array.isArray(value)) return value.some(containsUnknown);
  if (isObject(value)) return Object.values(value).some(containsUnknown);
  return isUnknown(value);
}

export function secretPaths(value: Value, at: Path = []): Path[] {
  if (isSecret(value)) return [at];
  if (Array.isArray(value)) return value.flatMap((item, index) => secretPaths(item, [...at, index]));
  if (isObject(value)) return Object.entries(value).flatMap(([key, item]) => secretPaths(item, [...at, key]));
  return [];
}

/** The values with a secret mark at the path, or unchanged where the path leads nowhere. */
export function markSecret(values: Values, path: Path): Values {
  return mark(values, path) as Values;
}

function mark(value: Value, path: Path): Value {
  const [head, ...rest] = path;
  if (head === undefined) return secret(value);
  if (Array.isArray(value)) return value.map((item, index) => (index === head ? mark(item, rest) : item));
  // What is secret above the path is secret at the path.
  if (!isObject(value) || isSecret(value)) return value;
  const marked = Object.entries(value).map(
    ([key, item]) => [key, key === head ? mark(item, rest) : item] as const,
  );
  return Object.fromEntries(marked);
}

export function equal(left: Value | undefined, right: Value | undefined): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => equal(item, right[index]));
  }
  if (isObject(left) && isObject(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys].every((key) => equal(left[key], right[key]));
  }
  return left === right;
}

/** `disks[0].speed`, `keepers["a.b"]`: the way Pulumi writes a property path. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    if (!/^[A-Za-z_][\w-]*$/.test(part)) return `${text}[${JSON.stringify(part)}]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/** Only what JSON can carry: properties that are undefined are left out. */
export function compact(values: { readonly [key: string]: unknown }): Values {
  return JSON.parse(JSON.stringify(values)) as Values;
}
