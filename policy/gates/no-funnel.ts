import type { Gate, Problem } from "../pack/gate.ts";
import { positionals, program, typed } from "../reading/argv.ts";
import type { Command, Content, Known, Launch, Setting } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { funnelSettings, grantsFunnel } from "../values/funnel.ts";
import { isHttpClient, percentDecoded, sends } from "../values/http-request.ts";

/** Options of `tailscale` and its `serve` and `funnel` that take the next word (tailscale 1.102). */
const VALUED = [
  "socket",
  "set-path",
  "https",
  "http",
  "tcp",
  "tls-terminated-tcp",
  "proxy-protocol",
  "service",
  "accept-app-caps",
].flatMap((name) => [`--${name}`, `-${name}`]);

/** Nothing turns Tailscale Funnel on, or lets a node turn it on. */
export const noFunnel: Gate = {
  id: "no-funnel",
  title: "No Tailscale Funnel",
  level: "mandatory",
  reason:
    "Funnel puts a port on the public internet, and whoever can fetch Hermes' dashboard has a shell: the tailnet is the boundary.",
  remediation: "Serve inside the tailnet only: `tailscale serve --service=svc:hermes --https=443 …`.",
  check: ({ content }) => [
    ...content.commands.flatMap(ofCommand),
    ...content.launches.map(asCommand).flatMap(ofCommand),
    ...content.settings.filter(grantsFunnel).map(({ at, value }) => ({
      at,
      value,
      message: "lets nodes turn Funnel on",
      fix: "Take the node attribute out of the policy: without it no node can turn Funnel on.",
    })),
    ...ofSettings(content),
    // One gate says it for all: what nobody can read may do anything.
    ...content.unread.map((at) => ({
      at,
      message: "holds a text that is too large or too deeply nested to be read",
      fix: "Hand it over as a plain text that can be read to its end.",
    })),
  ],
};

/** The entry point of the image comes before what a container is given, and may be `tailscale`. */
const asCommand = ({ at, command, environment }: Launch): Command => ({
  at,
  words: [UNKNOWN, ...command],
  environment,
});

function ofCommand(command: Command): Problem[] {
  const { at, words } = command;
  const name = program(command);
  const found = { at, value: typed(command) };
  if (setsServeConfig(name, command)) {
    const message = "sets what tailscaled serves past its command line and can allow Funnel";
    return [{ ...found, message }];
  }
  // A program that only the running shell knows may be it.
  if (name !== undefined && !/^tailscale/i.test(name)) return [];
  // Go's flag package takes one hyphen or two; the CLI finds its subcommands whatever their case (ffcli, EqualFold).
  const [verb, ...rest] = positionals(words.slice(1), VALUED);
  if (verb === UNKNOWN && name === "tailscale") {
    const fix =
      "Write the subcommand of tailscale into the command, so that everybody can see that it is not funnel.";
    return [{ ...found, message: "leaves its subcommand to a variable that may say funnel", fix }];
  }
  const [subcommand, first] = [verb, rest[0]].map((word) => String(word).toLowerCase());
  // `tailscale serve funnel` is its oldest form (1.34).
  const funnel = subcommand === "funnel" || (subcommand === "serve" && first === "funnel");
  if (funnel && !isOff(rest)) return [{ ...found, message: "turns Funnel on" }];
  // An undocumented command that takes any configuration from its input (tailscale/cmd/tailscale/cli/serve_v2.go).
  return subcommand === "serve" && first === "set-raw"
    ? [{ ...found, message: "takes a raw configuration that can allow Funnel" }]
    : [];
}

/** `tailscale funnel status`, `reset`, `… off` and `--help` show it or turn it off. */
function isOff(words: readonly Known<string>[]): boolean {
  return /^(status|reset)$/i.test(String(words[0])) || words.at(-1) === "off" || words.length === 0;
}

/** A request to the daemon's own interface that writes its whole `serve-config` (tailscale/ipn/localapi/serve.go). */
function setsServeConfig(name: string | undefined, command: Command): boolean {
  const { words, input } = command;
  const wire = WIRE.includes(name);
  if (!wire && name !== undefined && name !== "tailscale" && !isHttpClient(name)) return false;
  const said = [...words, input].filter((word) => typeof word === "string").map(percentDecoded);
  if (!said.some((word) => /localapi|tailscaled\.sock/.test(word))) return false;
  const hidden = words.includes(UNKNOWN) && !said.some((word) => /localapi\/v0\/\w/.test(word));
  if (!hidden && !said.some((word) => word.includes("serve-config"))) return false;
  // They are given the request as it goes over the wire.
  return wire ? /^(POST|PUT|PATCH)\s/m.test(String(input)) : sends(String(name), command);
}
const WIRE: readonly unknown[] = ["nc", "ncat", "netcat", "socat"];

/** Settings, and what is a setting in another form: a variable of a command, an option like `tsidp --funnel`. */
function ofSettings({ settings, commands, launches }: Content): Problem[] {
  const others = [...commands, ...launches.map(asCommand)].flatMap(variablesAndFlags);
  const labels = settings.flatMap(({ at, path, value }) =>
    path.some((key) => /^labels?$/i.test(key)) ? assigned(at, String(value)) : [],
  );
  return [...funnelSettings(settings), ...funnelSettings(others), ...funnelSettings(labels)].map(
    ({ at, value }) => ({
      at,
      value,
      message: "turns Funnel on",
    }),
  );
}

function variablesAndFlags({ at, words, environment }: Command): Setting[] {
  const flags = words
    .map(String)
    .map((word, index, all) => {
      // A label is of a container, whatever its option is called: podman-run(1), docker(1).
      const isLabel = word.includes("=") && LABEL.test(String(all[index - 1]));
      return isLabel ? `-${word}` : word.replace("--label=", "-");
    })
    .filter((word) => word.startsWith("-"));
  const variables: Setting[] = Object.entries(environment).map(([name, value]) => ({
    at,
    path: [name],
    value,
  }));
  return [...variables, ...flags.flatMap((word) => assigned(at, word))];
}
const LABEL = /^(-l|--label)$/;

/** `name=value`, or a name alone, which turns on what it names. */
function assigned(at: string, word: string): Setting[] {
  const [name = word, value = "true"] = word.split("=", 2);
  return [{ at, path: [name], value }];
}
