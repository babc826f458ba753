import type { Gate, Problem } from "../pack/gate.ts";
import type { Resource, Values } from "../pack/resource.ts";
import { program, typed } from "../reading/argv.ts";
import type { Command, Setting, Text } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { formatOf } from "../reading/format.ts";
import { isValues } from "../reading/sources.ts";
import {
  acceptingCall,
  acceptingLine,
  acceptingSetting,
  acceptsAnyKey,
  beginsLikeSshConfig,
  isPublicKey,
  isSshClient,
  isSshConfigPath,
  leavesOpen,
} from "../values/ssh.ts";

const CONNECTING: ReadonlySet<string> = new Set([
  "command:remote:Command",
  "command:remote:CopyToRemote",
  "command:remote:CopyFile",
]);
const ACCEPTS = "accepts a host key that nobody has seen before";

/** Every SSH connection knows the host's key beforehand. */
export const pinnedHostKey: Gate = {
  id: "pinned-host-key",
  title: "Pinned host key",
  level: "mandatory",
  reason:
    "Without the host's key any machine that answers in its place is taken for the host: it gets the files and secrets that are sent.",
  remediation:
    "Give the key of the host, as `ssh-ed25519 AAAA…`: read it on its console or through the Proxmox guest agent, and keep it in the configuration.",
  check: (resource) => {
    const { commands, settings, texts } = resource.content;
    const configurations = new Set(commands.flatMap(configurationsOf));
    return [
      ...(CONNECTING.has(resource.type) ? ofConnection(resource) : []),
      ...commands.flatMap((command) => ofCommand(command, texts)),
      ...[...settings, ...commands.flatMap(environmentOf)].filter(acceptingSetting).map(({ at, value }) => ({
        at,
        value,
        message: ACCEPTS,
      })),
      ...texts.flatMap((text) => ofText(text, configurations)),
    ];
  },
};

function ofConnection({ props }: Resource): Problem[] {
  const connection = props["connection"];
  if (connection === UNKNOWN) return [];
  if (!isValues(connection)) return [{ at: "connection", message: "is missing" }];
  const { proxy } = connection;
  return [
    // The provider shows a connection of which anything is unknown as one to nowhere: it is judged when it is known.
    ...(connection["host"] === "" ? [] : ofHost(connection, "connection")),
    ...(isValues(proxy) ? ofHost(proxy, "connection.proxy") : []),
  ];
}

function ofHost({ hostKey }: Values, at: string): Problem[] {
  if (hostKey === UNKNOWN) return [];
  if (typeof hostKey !== "string" || hostKey.trim() === "") {
    return [{ at: `${at}.hostKey`, message: "is not set, so any host's key is accepted" }];
  }
  return isPublicKey(hostKey) ? [] : [{ at: `${at}.hostKey`, value: hostKey, message: "is no public key" }];
}

function ofCommand(command: Command, texts: readonly Text[]): Problem[] {
  const { at, words } = command;
  const name = program(command);
  const found = { at, value: typed(command) };
  if (name === "ssh-keyscan")
    return [{ ...found, message: "takes the key from whoever answers, which pins nothing" }];
  // A program that only the running shell knows may be one of them.
  if (name !== undefined && !isSshClient(name)) return [];
  const given = words.filter((word) => word !== UNKNOWN);
  // dbclient(1): `-y` accepts an unknown key, twice it accepts any.
  const dropbear = name === "dbclient" && given.some((word) => ["-y", "-yy"].includes(word));
  // Of a word that is unknown in part its text has the name of the option.
  const open =
    words.includes(UNKNOWN) &&
    !given.some((word) => /StrictHostKeyChecking/i.test(word)) &&
    texts.some((script) => script.at === at && leavesOpen(script.text));
  if (open) return [{ ...found, message: "leaves StrictHostKeyChecking to a variable" }];
  return dropbear || acceptsAnyKey(given.join(" ")) ? [{ ...found, message: ACCEPTS }] : [];
}

const environmentOf = ({ at, environment }: Command): Setting[] =>
  Object.entries(environment).map(([name, value]) => ({ at, path: [name], value }));

/** Files that `ssh -F` may name as a client's configuration: what stands before a word may be another option's value. */
const configurationsOf = ({ words }: Command): unknown[] =>
  words
    .map(String)
    .flatMap((word, index, all) => [all[index - 1] === "-F" && word, word.startsWith("-F") && word.slice(2)]);

function ofText(text: Text, configurations: ReadonlySet<unknown>): Problem[] {
  const value = isConfiguration(text, configurations)
    ? acceptingLine(text.text)
    : formatOf(text) === "script"
      ? acceptingCall(text.text)
      : undefined;
  return value === undefined ? [] : [{ at: text.at, value, message: ACCEPTS }];
}

/** A client's configuration lies in its place, or says itself what it is, or a command names it. */
const isConfiguration = ({ path, text }: Text, named: ReadonlySet<unknown>): boolean =>
  isSshConfigPath(String(path)) || beginsLikeSshConfig(text) || named.has(String(path));
