// Runs a command on another machine.

import type ssh from "ssh2";
import type { Context } from "../base/resource.ts";
import type { Values } from "../base/values.ts";
import { type Connection, dial } from "./connection.ts";
import { Collector, type Output, type Run } from "./outcome.ts";

export async function runRemotely(context: Context, inputs: Values, run: Run): Promise<Output> {
  const client = await dial(context, inputs["connection"] as Connection);
  try {
    return await execute(client, context, inputs, run);
  } finally {
    client.end();
  }
}

async function execute(client: ssh.Client, context: Context, inputs: Values, run: Run): Promise<Output> {
  const collected = new Collector(context, inputs);
  const denied = askForVariables(client, Object.keys(run.environment));
  const stream = await new Promise<ssh.ClientChannel>((resolve, reject) => {
    const env = { ...run.environment, ...run.previous };
    client.exec(run.command, { env }, (error, channel) => (error ? reject(error) : resolve(channel)));
  });
  for (const name of denied) context.log("warning", `Unable to set '${name}'. ${ACCEPT_ENV}`);
  return new Promise((resolve, reject) => {
    let ended: { status: number | null; signal?: string } | undefined;
    let flushed = false;
    const kill = (): void => {
      // OpenSSH passes it on, except to a session of root. The real provider does not even try.
      stream.signal("KILL");
      client.end();
    };
    context.signal.addEventListener("abort", kill, { once: true });
    stream.on("data", (bytes: Buffer) => collected.add("stdout", bytes));
    stream.stderr.on("data", (bytes: Buffer) => collected.add("stderr", bytes));
    stream.on("exit", (status: number | null, signal?: string) => {
      ended = { status, ...(signal === undefined ? {} : { signal: signal.replace(/^SIG/, "") }) };
    });
    stream.on("error", (error: Error) => reject(collected.failed(error.message, run.command)));
    stream.once("close", () => {
      context.signal.removeEventListener("abort", kill);
      const output = collected.output();
      const problem = context.signal.aborted ? `${context.signal.reason}, killed` : problemOf(ended, flushed);
      if (problem === undefined) resolve(output);
      else reject(collected.failed(problem, run.command));
    });
    // The end of the input is sent even when there is none, so that a command that reads does not wait.
    stream.end(run.stdin, () => {
      flushed = true;
    });
    if (context.signal.aborted) kill();
  });
}

/** In the words of golang.org/x/crypto/ssh, which a user of the real provider knows. */
function problemOf(
  ended: { status: number | null; signal?: string } | undefined,
  flushed: boolean,
): string | undefined {
  if (ended === undefined) return "wait: remote command exited without exit status or exit signal";
  if (ended.signal !== undefined) return `Process exited from signal ${ended.signal}`;
  if (ended.status !== 0) return `Process exited with status ${ended.status}`;
  // It succeeded, but left some of its input unread: an error with the real one too.
  return flushed ? undefined : "EOF";
}

const ACCEPT_ENV =
  "This only works if your SSH server is configured to accept these variables via AcceptEnv. " +
  "Or put them before the command in the form 'VAR=value command'.";

/** The parts of ssh2 (1.17.0, pinned) that can ask the server whether it took a variable: `exec` does not ask. */
type Internals = {
  readonly _protocol: {
    env: (channel: number, name: string, value: string, wantReply: boolean) => void;
    exec: (channel: number, command: string, wantReply: boolean) => void;
  };
  readonly _chanMgr: { readonly _channels: { readonly [id: string]: InternalChannel | true } };
};
type InternalChannel = {
  readonly outgoing: { readonly id: number };
  readonly _callbacks: ((refused: unknown) => void)[];
};

/** Holds the command back until every variable is answered, and for good when a required one is denied. */
function askForVariables(client: ssh.Client, required: readonly string[]): ReadonlySet<string> {
  const denied = new Set<string>();
  const { _protocol: protocol, _chanMgr: channels } = client as unknown as Internals;
  const [env, exec] = [protocol.env.bind(protocol), protocol.exec.bind(protocol)];
  let unanswered = 0;
  let start = (): void => undefined;
  const callbacks = (id: number): InternalChannel["_callbacks"] => {
    const channel = Object.values(channels._channels).find(
      (each) => each !== true && each.outgoing.id === id,
    );
    if (channel === undefined || channel === true) throw new Error(`ssh2 has no channel ${id}`);
    return channel._callbacks;
  };
  protocol.env = (id, name, value) => {
    unanswered += 1;
    callbacks(id).push((refused) => {
      if (refused) denied.add(name);
      unanswered -= 1;
      if (unanswered === 0) start();
    });
    env(id, name, value, true);
  };
  protocol.exec = (id, command, wantReply) => {
    start = () => {
      const name = required.find((each) => denied.has(each));
      if (name === undefined) exec(id, command, wantReply);
      else
        callbacks(id).shift()?.(
          new Error(`could not set environment variable "${name}": ssh: setenv failed. ${ACCEPT_ENV}`),
        );
    };
    if (unanswered === 0) start();
  };
  return denied;
}
