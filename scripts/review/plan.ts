import { type Events, nameOf, type Step } from "./events.ts";

const SYMBOLS: Readonly<Record<string, string>> = {
  create: "+ ",
  update: "~ ",
  delete: "- ",
  replace: "+-",
  read: "> ",
  import: "= ",
};
/** Longer values are named and not shown. */
const SHOWN = 80;

/** The plan of a preview as text: a line a resource that changes, with the inputs that differ. */
export function planText(events: Events): string {
  const lines = events.steps
    .filter((step) => step.op !== "same" && step.logical !== false && !isDefaultProvider(step))
    .map((step) =>
      [SYMBOLS[step.op] ?? "  ", step.op.padEnd(7), step.type, nameOf(step.urn), ...differences(step)].join(
        " ",
      ),
    );
  return lines.length === 0 ? "No changes." : lines.join("\n");
}

/** "12 to create, 1 to update", from the engine's own count. */
export function changesText(changes: Events["changes"]): string {
  if (changes === undefined) return "the preview did not come to its end";
  const counted = Object.entries(changes).filter(([op, count]) => op !== "same" && count > 0);
  return counted.length === 0 ? "no changes" : counted.map(([op, count]) => `${count} to ${op}`).join(", ");
}

/** The engine makes them by itself, and shows them as little. */
const isDefaultProvider = ({ type, urn }: Step): boolean =>
  type.startsWith("pulumi:providers:") && nameOf(urn).startsWith("default");

function differences(step: Step): string[] {
  if (step.op !== "update" && step.op !== "replace") return [];
  const paths = Object.keys(step.detailedDiff ?? {});
  const named = paths.length > 0 ? paths : [...(step.diffs ?? [])];
  if (named.length === 0) return [];
  return [`[${named.map((path) => `${path}${change(step, path)}`).join(", ")}]`];
}

/** Old and new value of a top-level input, when both are short. A secret is an object here, and so never shown. */
function change(step: Step, path: string): string {
  const [before, after] = [step.old?.inputs, step.new?.inputs].map((inputs) => short(own(inputs, path)));
  return before === undefined || after === undefined || before === after ? "" : ` ${before} → ${after}`;
}

function own(inputs: unknown, key: string): unknown {
  return typeof inputs === "object" && inputs !== null && Object.hasOwn(inputs, key)
    ? (inputs as Record<string, unknown>)[key]
    : undefined;
}

function short(value: unknown): string | undefined {
  if (!["string", "number", "boolean"].includes(typeof value)) return undefined;
  const text = JSON.stringify(value);
  return text.length <= SHOWN ? text : undefined;
}
