import type { Gate, Problem } from "../pack/gate.ts";
import type { Resource } from "../pack/resource.ts";
import { positionals, program, typed } from "../reading/argv.ts";
import type { Command, Known, Launch } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { isComponent, isKnown, mayBeHermes } from "../reading/launches.ts";

type Environment = Readonly<Record<string, Known<string> | undefined>>;

/** What Hermes takes for a loopback address; anything else engages its login. */
const LOOPBACK = /^(127\.0\.0\.1|localhost|::1)$/;
const PROVIDERS: readonly (readonly string[])[] = [
  [
    "HERMES_DASHBOARD_BASIC_AUTH_USERNAME",
    "HERMES_DASHBOARD_BASIC_AUTH_PASSWORD_HASH",
    "HERMES_DASHBOARD_BASIC_AUTH_SECRET",
  ],
  ["HERMES_DASHBOARD_OIDC_ISSUER", "HERMES_DASHBOARD_OIDC_CLIENT_ID"],
];
const HOST = "HERMES_DASHBOARD_HOST";
const API_HOST = "API_SERVER_HOST";
const NAMES: ReadonlySet<string | undefined> = new Set([
  "HERMES_DASHBOARD",
  HOST,
  API_HOST,
  ...PROVIDERS.flat(),
]);

/** The dashboard and the API answer on the guest's loopback only, or the dashboard has a login. */
export const loopbackDashboard: Gate = {
  id: "loopback-dashboard",
  title: "Loopback dashboard",
  level: "mandatory",
  reason: "The dashboard has a terminal in it: whoever can fetch its page has a shell.",
  remediation:
    "Set HERMES_DASHBOARD_HOST to 127.0.0.1, or give the dashboard a login: HERMES_DASHBOARD_BASIC_AUTH_USERNAME, _PASSWORD_HASH and _SECRET, or HERMES_DASHBOARD_OIDC_ISSUER and _CLIENT_ID.",
  check: (resource) => {
    const { launches, commands } = resource.content;
    const files = variablesOf(resource);
    // A unit takes variables from files beside it.
    const beside: Environment = Object.assign(
      {},
      ...files.filter(({ isFile }) => isFile).map(({ found }) => found),
    );
    const variables = files.flatMap(({ at, found, final }) =>
      bindings(found, { ...beside, ...found }, at, final),
    );
    const started = [
      ...launches
        .filter(({ verb }) => verb === "run")
        .flatMap((launch) => ofLaunch(launch, { ...beside, ...launch.environment })),
      ...commands.flatMap((command) => ofCommand(command, { ...beside, ...command.environment })),
    ];
    // Readers show a variable of a unit as a setting, and again in the launch or command that has it.
    const said = new Set(variables.map(variable));
    return [...variables, ...started.filter((problem) => !said.has(variable(problem)))];
  },
};

/** Name and value of the variable that a problem is about. */
const variable = ({ at, value }: Problem): string => `${at.split(" › ").at(-1)} ${String(value)}`;

/** Variables that stand together in one file or mapping. */
function variablesOf({ content }: Resource) {
  const files = new Map<
    string,
    { at: string; found: Record<string, Known<string>>; final: boolean; isFile: boolean }
  >();
  // Stryker disable next-line MethodExpression: other names are never looked up, to leave them out only saves time
  const settings = content.settings.filter(({ path }) => NAMES.has(path.at(-1)));
  for (const { at, path, value } of settings) {
    const name = String(path.at(-1));
    const place = at.endsWith(name) ? at.slice(0, -name.length).replace(/(\.| › )$/, "") : at;
    // What stands in a property itself is known before anything is created.
    const final = at !== path.join(".");
    const file = files.get(place) ?? { at: place, found: {}, final, isFile: path.length === 1 };
    file.found[name] = value === UNKNOWN ? UNKNOWN : String(value);
    files.set(place, file);
  }
  return [...files.values()];
}

function ofLaunch(launch: Launch, environment: Environment): Problem[] {
  if (!mayBeHermes(launch)) return [];
  const at = isComponent(launch) ? "environment" : launch.at;
  const dashboard = environment["HERMES_DASHBOARD"];
  const on = dashboard !== undefined && (dashboard === UNKNOWN || !/^(|0|false|no|off)$/i.test(dashboard));
  // A drop-in may leave the address to the unit that it adds to.
  if (on && environment[HOST] === undefined && launch.image !== undefined && !protectedBy(environment)) {
    const message = "is not set, and its default differs between the image's versions";
    return [{ at: `${at} › ${HOST}`, message }];
  }
  const args = listening(launch.command, environment).map((problem) => ({
    at: isComponent(launch) ? "command" : launch.at,
    ...problem,
  }));
  return [...bindings(environment, environment, at, !isComponent(launch)), ...args];
}

/**
 * @param all where a login may stand
 * @param final whether an unknown value stays unknown: a component's is known before anything is created
 */
function bindings(environment: Environment, all: Environment, at: string, final: boolean): Problem[] {
  return [HOST, API_HOST].flatMap((name) => {
    const host = environment[name];
    if (host === undefined || (host === UNKNOWN && !final)) return [];
    if (host !== UNKNOWN && LOOPBACK.test(host)) return [];
    if (name === HOST && protectedBy(all)) return [];
    const login = name === HOST ? ", and there is no complete login" : "";
    const message = host === UNKNOWN ? "is left to a variable" : `is not the loopback address${login}`;
    const fix = name === HOST ? {} : { fix: `Set ${name} to 127.0.0.1.` };
    return [{ at: `${at} › ${name}`, ...(host === UNKNOWN ? {} : { value: host }), message, ...fix }];
  });
}

const protectedBy = (environment: Environment): boolean =>
  PROVIDERS.some((names) =>
    names.every((name) => environment[name] === UNKNOWN || isFilled(environment[name])),
  );
const isFilled = (value: Known<string> | undefined): boolean => isKnown(value) && value.trim() !== "";

function ofCommand(command: Command, environment: Environment): Problem[] {
  const { at, words } = command;
  const args = program(command) === "hermes" ? listening(words.slice(1), environment) : [];
  return [
    ...bindings(command.environment, environment, at, true),
    ...args.map((problem) => ({ at, ...problem })),
  ];
}

/** `hermes dashboard --host 0.0.0.0`; argparse takes an option's beginning as well, and its last value. */
function listening(args: Command["words"], environment: Environment): Omit<Problem, "at">[] {
  if (!positionals(args).includes("dashboard") || protectedBy(environment)) return [];
  const hosts = args.flatMap((word, index): Known<string>[] => {
    const given = word === UNKNOWN ? null : /^--ho(?:st?)?(?:=(.*))?$/s.exec(word);
    return given === null ? [] : [given[1] ?? args[index + 1] ?? UNKNOWN];
  });
  if (hosts.every((host) => host !== UNKNOWN && LOOPBACK.test(host))) return [];
  const value = typed({ words: ["hermes", ...args] });
  return [{ value, message: "lets the dashboard listen beyond the loopback address" }];
}
