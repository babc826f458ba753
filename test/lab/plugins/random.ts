// Stand-in for the real `random` provider, for machines where that cannot be installed.
// Real randomness, no network, nothing to clean up: state is all that these resources are.

import { randomBytes, randomInt } from "node:crypto";
import { type Failure, failure } from "./base/check.ts";
import { changes, isIgnored } from "./base/diff.ts";
import type { Resource } from "./base/resource.ts";
import { isUnknown, UNKNOWN, type Values } from "./base/values.ts";
import { serve } from "./base.ts";

type Kind = Pick<Resource, "check" | "secretOutputs"> & {
  readonly outputs: readonly string[];
  /** All outputs and the `id`. */
  readonly draw: (inputs: Values) => Values;
};
type Characters = { readonly on: string; readonly least: string; readonly set: (inputs: Values) => string };

// terraform-provider-random, docs/resources/password.md
const SPECIAL = "!@#$%&*()-_=+[]{}<>:?";
const CHARACTERS: readonly Characters[] = [
  { on: "lower", least: "minLower", set: () => "abcdefghijklmnopqrstuvwxyz" },
  { on: "upper", least: "minUpper", set: () => "ABCDEFGHIJKLMNOPQRSTUVWXYZ" },
  { on: "numeric", least: "minNumeric", set: () => "0123456789" },
  { on: "special", least: "minSpecial", set: ({ overrideSpecial }) => String(overrideSpecial ?? SPECIAL) },
];

const TEXT_DEFAULTS: Values = Object.fromEntries(
  CHARACTERS.flatMap(({ on, least }) => [
    [on, true],
    [least, 0],
  ]),
);

/** Every change of an input replaces: a random value cannot be changed, only drawn again. */
function random(file: string, kind: Kind): Resource {
  const { draw, outputs, ...rest } = kind;
  return {
    sdk: { file, args: `${file[0]?.toUpperCase()}${file.slice(1)}Args` },
    diff: ({ oldInputs, inputs, ignoreChanges }) => ({
      changes: changes(withoutInternals(oldInputs), withoutInternals(inputs))
        .filter(({ path }) => !isIgnored(path, ignoreChanges))
        .map((change) => ({ ...change, replace: true })),
    }),
    preview: (inputs) => ({ ...inputs, ...Object.fromEntries(outputs.map((key) => [key, UNKNOWN])) }),
    create: async (_context, inputs) => {
      const { id, ...drawn } = draw(inputs);
      return { id: String(id), outputs: drawn };
    },
    ...rest,
  };
}

function withoutInternals(inputs: Values): Values {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !key.startsWith("__")));
}

function enabled(inputs: Values, kind: Characters): boolean {
  // `number` is the deprecated name of `numeric`.
  const set = inputs[kind.on] ?? (kind.on === "numeric" ? inputs["number"] : undefined);
  return set !== false;
}

function drawText(inputs: Values): string {
  const kinds = CHARACTERS.filter((kind) => enabled(inputs, kind));
  const pick = (from: string): string => from.charAt(randomInt(from.length));
  const all = kinds.map((kind) => kind.set(inputs)).join("");
  const text = kinds.flatMap((kind) =>
    Array.from({ length: Number(inputs[kind.least] ?? 0) }, () => pick(kind.set(inputs))),
  );
  while (text.length < Number(inputs["length"])) text.push(pick(all));
  // Fisher and Yates: the characters that must be there must not all come first.
  for (let last = text.length - 1; last > 0; last--) {
    const other = randomInt(last + 1);
    [text[last], text[other]] = [text[other] ?? "", text[last] ?? ""];
  }
  return text.join("");
}

function checkText(inputs: Values): Failure[] {
  const { length } = inputs;
  if (isUnknown(length)) return [];
  const least = CHARACTERS.reduce((sum, kind) => sum + Number(inputs[kind.least] ?? 0), 0);
  const found: Failure[] = [];
  if (!Number.isInteger(length) || Number(length) < Math.max(1, least)) {
    found.push(failure(["length"], `is ${length}; allowed is a whole number from ${Math.max(1, least)}`));
  }
  if (!CHARACTERS.some((kind) => enabled(inputs, kind) && kind.set(inputs) !== "")) {
    found.push(failure(["lower"], "is false, as are upper, numeric and special; one of them must be true"));
  }
  return found;
}

function drawId(inputs: Values): Values {
  const { byteLength, prefix } = inputs;
  const bytes = randomBytes(Number(byteLength));
  const before = String(prefix ?? "");
  const b64Url = bytes.toString("base64url");
  return {
    ...inputs,
    id: b64Url,
    b64Url: before + b64Url,
    b64Std: before + bytes.toString("base64"),
    hex: before + bytes.toString("hex"),
    dec: before + BigInt(`0x${bytes.toString("hex")}`).toString(),
  };
}

function checkId({ byteLength }: Values): Failure[] {
  if (isUnknown(byteLength) || (Number.isInteger(byteLength) && Number(byteLength) >= 1)) return [];
  return [failure(["byteLength"], `is ${byteLength}; allowed is a whole number from 1`)];
}

await serve({
  name: "random",
  sdk: "@pulumi/random",
  resources: {
    "random:index/randomString:RandomString": random("randomString", {
      draw: (inputs) => {
        const result = drawText(inputs);
        return { ...TEXT_DEFAULTS, ...inputs, result, id: result };
      },
      outputs: ["result"],
      check: checkText,
    }),
    // Without `bcryptHash`: nothing here wants it, and Node has no bcrypt.
    "random:index/randomPassword:RandomPassword": random("randomPassword", {
      draw: (inputs) => ({ ...TEXT_DEFAULTS, ...inputs, result: drawText(inputs), id: "none" }),
      outputs: ["result"],
      check: checkText,
      secretOutputs: ["result"],
    }),
    "random:index/randomId:RandomId": random("randomId", {
      draw: drawId,
      outputs: ["b64Url", "b64Std", "hex", "dec"],
      check: checkId,
    }),
  },
});
