// Are these inputs what the SDK's types allow? The real providers ignore an unknown nested property in silence,
// and a misspelt one then reaches real hardware as a default.

import type { ObjectShape, Shape } from "./sdk-types.ts";
import {
  isMarked,
  isObject,
  isSecret,
  isUnknown,
  type Path,
  pathText,
  type Value,
  type Values,
} from "./values.ts";

export type Failure = { readonly property: string; readonly reason: string };

/** Every problem at once, each with the path of its property. */
export function checkShape(values: Values, shape: ObjectShape, at: Path = []): Failure[] {
  const failures: Failure[] = [];
  for (const [name, { required, shape: inner }] of Object.entries(shape.fields)) {
    const value = values[name];
    if (value !== undefined && value !== null) failures.push(...checkValue(value, inner, [...at, name]));
    else if (required) failures.push(failure([...at, name], "is missing: it is required"));
  }
  for (const name of Object.keys(values)) {
    // The engine adds __internal, __defaults and the like.
    if (name in shape.fields || name.startsWith("__")) continue;
    failures.push(failure([...at, name], `is not a property of the SDK.${suggest(name, shape)}`));
  }
  return failures;
}

function checkValue(value: Value, shape: Shape, at: Path): Failure[] {
  if (isSecret(value)) return checkValue(value.value, shape, at);
  if (isUnknown(value) || value === null || shape.kind === "any") return [];
  switch (shape.kind) {
    case "array":
      if (!Array.isArray(value)) return [wrong(value, "a list", at)];
      return value.flatMap((item, index) => checkValue(item, shape.of, [...at, index]));
    case "map":
      if (!isObject(value) || isMarked(value)) return [wrong(value, "a map", at)];
      return Object.entries(value).flatMap(([key, item]) => checkValue(item, shape.of, [...at, key]));
    case "object":
      if (!isObject(value) || isMarked(value)) return [wrong(value, "an object", at)];
      return checkShape(value, shape, at);
    case "enum":
      if (typeof value === "string" && shape.values.includes(value)) return [];
      return [wrong(value, `one of ${shape.values.map((each) => JSON.stringify(each)).join(", ")}`, at)];
    default:
      return typeof value === shape.kind ? [] : [wrong(value, `a ${shape.kind}`, at)];
  }
}

function wrong(value: Value, allowed: string, at: Path): Failure {
  // Names the kind of value only: it may be a secret.
  const found = Array.isArray(value)
    ? "a list"
    : typeof value === "object"
      ? "an object"
      : `a ${typeof value}`;
  return failure(at, `is ${found}; allowed is ${allowed}`);
}

export function failure(at: Path, problem: string): Failure {
  const property = pathText(at);
  return { property, reason: `${property} ${problem}` };
}

function suggest(name: string, shape: ObjectShape): string {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]|s$/g, "");
  const near = Object.keys(shape.fields).find((known) => plain(known) === plain(name));
  const known = near === undefined ? Object.keys(shape.fields).sort().join(", ") : near;
  return near === undefined ? ` Known: ${known}` : ` Did you mean ${known}?`;
}
