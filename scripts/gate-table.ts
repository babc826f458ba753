import { gates } from "../policy/gates.ts";
import type { Gate } from "../policy/pack/gate.ts";

const [START, END] = ["<!-- gates: written by `npm run generate` -->", "<!-- end of the gates -->"];

/** One line a gate: what it is called, whether it blocks, and why it is there. */
function shortTable(): string {
  const rows = gates.map(
    ({ id, title, level, reason }) => `| \`${id}\` | ${title} | ${level} | ${cell(reason)} |`,
  );
  return ["| gate | what it is | level | why |", "|---|---|---|---|", ...rows].join("\n");
}

/** A gate in full: why, what to change, and the settings that a user may give it. */
function section({ id, title, level, when, reason, remediation, config }: Gate): string {
  const settings = Object.entries((config?.properties ?? {}) as Record<string, { description: string }>).map(
    ([key, { description }]) => {
      const value = JSON.stringify(new Map(Object.entries(config?.defaults ?? {})).get(key));
      return `- \`${key}\` (default \`${value}\`): ${description}`;
    },
  );
  const list = settings.length === 0 ? [] : ["Settings:", "", ...settings, ""];
  const time = when === "end" ? " Said when all resources are known." : "";
  return [
    `## ${id}`,
    "",
    `**${title}**, ${level}.${time} ${reason}`,
    "",
    `What to change: ${remediation}`,
    "",
    ...list,
  ].join("\n");
}

/** `text` with the table between its two marks made anew. */
export function withGateTable(text: string): string {
  const [start, end] = [text.indexOf(START), text.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`the marks ${START} and ${END} are not there, in this order`);
  return `${text.slice(0, start)}${START}\n${shortTable()}\n${text.slice(end)}`;
}

/** The pages of the gates, for policy/GATES.md. */
export function gatePages(): string {
  const head = "<!-- Written by `npm run generate` from policy/gates.ts. -->\n\n# The gates, one by one\n";
  return `${head}\n${gates.map(section).join("\n")}`.replace(/\n+$/, "\n");
}

const cell = (text: string): string => text.replaceAll("|", "\\|");
