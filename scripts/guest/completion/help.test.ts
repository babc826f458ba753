import { describe, expect, test } from "vitest";
import { parseHelp } from "./help.ts";

// What Hermes 0.19.0 prints on 80 columns, in parts.
const HERMES = `usage: hermes [-h] [--version] [-z PROMPT] {chat,journey,login} ...

Hermes Agent - AI assistant with tool-calling capabilities

positional arguments:
  {chat,journey,learning,memory-graph,login}
                        Command to run
    chat                Interactive chat with the agent
    journey (learning, memory-graph)
                        Timeline of learned skills + memories over time

options:
  -h, --help            show this help message and exit
  -z PROMPT, --oneshot PROMPT
                        One-shot mode: send a single prompt and print ONLY the
                        final response text to stdout. No banner, no spinner,
                        no tool previews, no session_id line.
  -m MODEL, --model MODEL
                        Model override for this invocation (e.g.
                        anthropic/claude-sonnet-4.6). Applies to -z/--oneshot
                        and --tui.
  --continue [SESSION_NAME], -c [SESSION_NAME]
                        Resume a session by name, or the most recent if no
                        name given
  --tui                 Launch the modern TUI instead of the classic REPL

Examples:
  hermes                        Start interactive chat
`;

const PORTAL = `usage: hermes portal [-h] {login,info,status,open,tools} ...

Run \`hermes portal\` with no subcommand to log in to Nous Portal and set it up
— pick a model, set Nous as your provider, and offer the Tool Gateway.

positional arguments:
  {login,info,status,open,tools}
    login               Log in to Nous Portal + set it up (default; one-shot
                        onboarding)
    info                Show Portal auth + Tool Gateway routing summary
    open                Open the Portal subscription page in your default
                        browser
    tools               List Tool Gateway tools and which are routed via Nous

options:
  -h, --help            show this help message and exit
`;

const CHECKPOINTS = `usage: hermes checkpoints [-h] COMMAND ...

positional arguments:
  COMMAND
    status      Show total size, project count, and per-project breakdown
    clear-legacy
                Delete only the legacy-<ts>/ archives from v1 migration

options:
  -h, --help    show this help message and exit
`;

const SETUP = `usage: hermes setup [-h] [--quick] [{model,tts,terminal,gateway,tools,agent}]

positional arguments:
  {model,tts,terminal,gateway,tools,agent}
                        Run a specific setup section instead of the full
                        wizard

options:
  -h, --help            show this help message and exit
`;

const IMPORT = `usage: hermes import [-h] [--force] zipfile

positional arguments:
  zipfile      Path to the backup zip file

options:
  -h, --help   show this help message and exit
  --force, -f  Overwrite existing files without confirmation
`;

const AUTH_REMOVE = `usage: hermes auth remove [-h] provider target

positional arguments:
  provider    Provider id
  target      Credential index, entry id, or exact label

options:
  -h, --help  show this help message and exit
`;

const JOURNEY = `positional arguments:
  {list,delete,edit}
    list              List node ids (for delete/edit).
`;

const KANBAN = `positional arguments:
  {diagnostics,diag,log,daemon}
    diagnostics (diag)  List active diagnostics on the current board
    log                 Print the worker log for a task (from <kanban-
                        root>/kanban/logs/)
    daemon              DEPRECATED — dispatcher now runs in the gateway. Use
                        \`hermes gateway start\`.
`;

describe("words", () => {
  test("a subcommand and its aliases share a description; one that the help hides has none", () => {
    const timeline = "Timeline of learned skills + memories over time";
    expect(parseHelp(HERMES).words).toEqual({
      chat: "Interactive chat with the agent",
      journey: timeline,
      learning: timeline,
      "memory-graph": timeline,
      login: "",
    });
  });

  test("they come in the order of the choices, and wrapped descriptions are put together", () => {
    expect(Object.entries(parseHelp(PORTAL).words)).toEqual([
      ["login", "Log in to Nous Portal + set it up (default; one-shot onboarding)"],
      ["info", "Show Portal auth + Tool Gateway routing summary"],
      ["status", ""],
      ["open", "Open the Portal subscription page in your default browser"],
      ["tools", "List Tool Gateway tools and which are routed via Nous"],
    ]);
  });

  test("where a name stands for the choices, they are the subcommands below it", () => {
    expect(parseHelp(CHECKPOINTS).words).toEqual({
      status: "Show total size, project count, and per-project breakdown",
      "clear-legacy": "Delete only the legacy-<ts>/ archives from v1 migration",
    });
  });

  test("choices of an ordinary argument count", () => {
    expect(Object.keys(parseHelp(SETUP).words)).toEqual("model tts terminal gateway tools agent".split(" "));
  });

  test("arguments with a value of the user's are no words", () => {
    expect(parseHelp(IMPORT).words).toEqual({});
    expect(parseHelp(AUTH_REMOVE).words).toEqual({});
  });

  test("a word that is broken behind its hyphen is put together without a blank", () => {
    expect(parseHelp(KANBAN).words["log"]).toBe(
      "Print the worker log for a task (from <kanban-root>/kanban/logs/)",
    );
  });

  test("two blanks are enough between names and a description", () => {
    expect(parseHelp(KANBAN).words["diag"]).toBe("List active diagnostics on the current board");
  });

  test("the line ends of a terminal change nothing", () => {
    expect(parseHelp(PORTAL.replaceAll("\n", "\r\n"))).toEqual(parseHelp(PORTAL));
  });

  test("of a description only the first sentence is kept, without its full stop", () => {
    expect(parseHelp(JOURNEY).words["list"]).toBe("List node ids (for delete/edit)");
    expect(parseHelp(KANBAN).words["daemon"]).toBe("DEPRECATED — dispatcher now runs in the gateway");
  });
});

test("options keep their names and values as they are printed, and the examples below are none", () => {
  expect(Object.entries(parseHelp(HERMES).options)).toEqual([
    ["-h, --help", "show this help message and exit"],
    [
      "-z PROMPT, --oneshot PROMPT",
      "One-shot mode: send a single prompt and print ONLY the final response text to stdout",
    ],
    ["-m MODEL, --model MODEL", "Model override for this invocation (e.g. anthropic/claude-sonnet-4.6)"],
    [
      "--continue [SESSION_NAME], -c [SESSION_NAME]",
      "Resume a session by name, or the most recent if no name given",
    ],
    ["--tui", "Launch the modern TUI instead of the classic REPL"],
  ]);
});

test("a text that is no help has neither", () => {
  expect(parseHelp("  hermes  is not running\n")).toEqual({ words: {}, options: {} });
});
