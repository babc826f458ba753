import type { Gate, Problem } from "../pack/gate.ts";
import { program, typed } from "../reading/argv.ts";
import type { Command, Content } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";
import { isHttpClient, percentDecoded, sends } from "../values/http-request.ts";

/** The tailnet's policy file stays its owner's: nothing replaces or resets the whole of it. */
export const sharedTailnetPolicy: Gate = {
  id: "shared-tailnet-policy",
  title: "Tailnet policy not owned wholesale",
  level: "mandatory",
  reason:
    "The policy file belongs to people, who write in it by hand: replacing the whole loses their rules and comments.",
  remediation:
    "Leave overwriteExistingContent and resetAclOnDestroy false, and add only your own entries to the file that is there.",
  check: ({ type, props, content }) => [
    ...(type === "tailscale:index/acl:Acl" ? ofAcl(props) : []),
    ...content.commands.flatMap((command) => ofCommand(command, content)),
  ],
};

function ofAcl(props: Readonly<Record<string, unknown>>): Problem[] {
  const does = {
    overwriteExistingContent: "overwrites what is in the file",
    resetAclOnDestroy: "empties the file on destroy",
  };
  return Object.entries(does).flatMap(([at, message]) => {
    const value = props[at];
    // The engine makes a boolean of such words.
    return typeof value !== "object" && /^(1|t|true)$/i.test(String(value)) ? [{ at, value, message }] : [];
  });
}

/** A request that writes the policy without saying which version it was made from (If-Match) overwrites whatever is there. */
function ofCommand(command: Command, { texts }: Content): Problem[] {
  const { at, words } = command;
  const name = String(program(command));
  if (!isHttpClient(name) || !sends(name, command)) return [];
  const known = words.filter((word) => word !== UNKNOWN).map(percentDecoded);
  // What is unknown in part is unknown as a word (`"$API/tailnet/-/acl"`, `-H "If-Match: $etag"`), but its text has it.
  const script = texts.filter((text) => words.includes(UNKNOWN) && text.at === at);
  const writes = known.some((word) => /^https?:/.test(word))
    ? known.some((word) => /\/api\/v2\/tailnet\/[^/\s]+\/acl\/?([?#]|$)/.test(word))
    : script.some(({ text }) => /\/tailnet\/[^/\s]+\/acl(?!\/?\w)/.test(text));
  if (!writes) return [];
  const versioned = [...known, ...script.map(({ text }) => text)].some((text) => IF_MATCH.test(text));
  if (versioned) return [];
  return [
    {
      at,
      value: typed(command),
      message: "writes the whole policy file over whatever is there",
      fix: "Send If-Match with the ETag of the version that you read.",
    },
  ];
}

/** `*` matches any version. */
const IF_MATCH = /if-match:[ \t]*[^\s*]/i;
