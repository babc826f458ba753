import type { Gate } from "../../../../policy/pack/gate.ts";

/** Without the statement that shortens the list it never ends. */
export const endless: Gate = {
  id: "endless",
  title: "Endless",
  level: "mandatory",
  reason: "Counting takes time.",
  remediation: "Count less.",
  check({ props }) {
    const letters = String(props["text"]).split("");
    let found = false;
    while (letters.length !== 0) {
      found ||= letters[0] === "x";
      letters.shift();
    }
    return found ? [{ at: "text", message: "has an x" }] : [];
  },
};
