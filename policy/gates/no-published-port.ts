import type { Gate } from "../pack/gate.ts";
import { type Known, type Launch, UNKNOWN } from "../reading/content.ts";
import { isComponent, mayBeHermes } from "../reading/launches.ts";

interface Settings {
  readonly allowLoopback: boolean;
}

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]):/;

/** Ports that are not written down, as a message calls them. */
const NAMELESS: ReadonlyMap<Known<string>, string> = new Map<Known<string>, string>([
  [UNKNOWN, "a port that a variable names"],
  ["all", "every port that the image names"],
]);

/** No container publishes a port, and Hermes shares the guest's network. */
export const noPublishedPort: Gate<Settings> = {
  id: "no-published-port",
  title: "No published port",
  level: "mandatory",
  reason:
    "A published port reaches past the guest's firewall, and behind a port map Hermes has to listen on every address, where its dashboard demands a login or refuses to start.",
  remediation:
    "Take the port away and use host networking (`network: host`): Hermes then binds the guest's real loopback.",
  // Stryker disable next-line ObjectLiteral: it takes the setting out of the schema, which GATES.md shows and no case
  config: {
    // Stryker disable next-line ObjectLiteral: without a default it is off as well
    defaults: { allowLoopback: false },
    properties: {
      allowLoopback: {
        type: "boolean",
        description:
          "Let ports of Hermes through that are published on 127.0.0.1 or [::1]. Those of other containers pass.",
      },
    },
  },
  check: ({ type, content, props }, { allowLoopback }) => {
    // Another service may need a port on the guest's loopback. A pod names no image, and Hermes may be in it.
    const loopback = (launch: Launch) =>
      allowLoopback || (launch.image !== undefined && !mayBeHermes(launch));
    const ports = content.launches.flatMap((launch) =>
      launch.ports
        // A component's is known before anything is created.
        .filter((port) =>
          port === UNKNOWN ? !isComponent(launch) : !(loopback(launch) && LOOPBACK.test(port)),
        )
        .map((port) => ({
          at: isComponent(launch) ? "ports" : launch.at,
          message: `publishes ${NAMELESS.get(port) ?? `the port ${String(port)}`}`,
        })),
    );
    const network = props["network"];
    if (type !== "hermes:index:HermesContainer" || network === "host" || network === UNKNOWN) return ports;
    const message = "is not the guest's own, so that its ports would have to be published";
    return [...ports, { at: "network", value: network, message }];
  },
};
