/**
 * Gates of the policy pack that judge the same as a key's own check. The configuration is refused before any resource,
 * so the pack does not come to speak: the problem names its gate instead.
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
  [["guest", "placement"], "placement-gate"],
  [["guest", "tap"], "distinct-names"],
];

/** The gate that stands behind the check of a key below `hermes:`; undefined when none does. */
export function gateAt(path: readonly PropertyKey[]): string | undefined {
  const found = GATES.find(([prefix]) => prefix.every((key, index) => path[index] === key));
  return found?.[1];
}
