/**
 * Gates of the policy pack that are about a key, too. A bad configuration is refused before any resource, so the pack
 * does not come to speak: the problem names the gate that says why. The key's own check may be stricter than the gate.
 */
const GATES: ReadonlyArray<readonly [path: readonly string[], gate: string]> = [
  [["container", "image"], "pinned-image"],
  [["container", "volumes"], "persistent-data"],
  [["container", "environment", "HERMES_DASHBOARD_HOST"], "loopback-dashboard"],
  [["container", "network"], "no-published-port"],
  [["container", "ports"], "no-published-port"],
  [["container", "publish"], "no-published-port"],
  [["container", "privileged"], "sandboxed-tools"],
  [["guest", "hostKey"], "pinned-host-key"],
  [["ssh", "hostKey"], "pinned-host-key"],
  [["guest", "placement"], "placement-gate"],
  [["guest", "tap"], "distinct-names"],
];

/** The gate that is about a key below `hermes:`; undefined when none is. */
export function gateAt(path: readonly PropertyKey[]): string | undefined {
  const found = GATES.find(([prefix]) => prefix.every((key, index) => path[index] === key));
  return found?.[1];
}
