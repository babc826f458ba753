import type { Format, Text } from "./content.ts";
import { interpreterFormats } from "./interpreter.ts";

/** By the end of a path. What is not listed is told by the text itself. */
const ENDINGS: ReadonlyArray<readonly [pattern: RegExp, format: Format]> = [
  [/\.(container|volume|network|kube|pod|image|build)$/, "unit"],
  [/\.(service|socket|timer|path|mount|automount|target|slice|swap|scope|netdev|link)$/, "unit"],
  [/^\/etc\/(systemd|containers\/systemd)\/.*\.conf$/, "unit"],
  [/\.(service|container|volume|network|kube|pod|image|build|mount|socket|timer)\.d\/[^/]+\.conf$/, "unit"],
  [/(^|[./])(Containerfile|Dockerfile)([.-][^/]*)?$/i, "containerfile"],
  [/\.(yaml|yml|cfg)$/i, "yaml"],
  [/\.(json|hujson|jsonc)$/i, "json"],
  [/\.nix$/, "nix"],
  [/\.(sh|bash|bashrc|profile)$/, "shell"],
  [/\.(py|pl|rb|js|mjs|cjs|ts|lua|php)$/, "script"],
  [/(^|[./])env(\.[^/]*)?$|\/environment$|\/environment\.d\/[^/]+$/, "environment"],
  [/^\/etc\/(default|conf\.d|sysconfig)\/[^/]+$/, "environment"],
  [/^\/etc\/fstab$/, "fstab"],
  [/^\/etc\/cron(tab$|\.d\/)|^\/var\/spool\/cron\//, "cron"],
  [/\.(md|txt|rst|html)$|\/(motd|issue|issue\.net|LICENSE|README)$/i, "prose"],
];

/** Files of these folders and names are run, mostly by other programs: without a shebang by a shell. */
const RUN = [
  /\/(s?bin|libexec)\/[^/]+$/,
  /^\/etc\/(rc\.local|profile|bash\.bashrc)$|^\/etc\/zsh\/[^/]+$/,
  /\/\.(bash(rc|_profile|_login|_logout|_aliases)|profile|z(shrc|shenv|profile|login|logout)|xprofile|xinitrc|xsession|[mk]*shrc)$/,
  /^\/etc\/cron\.(hourly|daily|weekly|monthly)\//,
  /\/(profile|init|rc\d?|cont-init|cont-finish|services|update-motd|postinst|postrm|(if-)?(pre-|post-)?(up|down)|ip-(pre-)?(up|down)|Xsession)\.d\//,
  /\/([\w-]*dispatcher(\.d)?|[\w-]*hooks?(\.d)?|system-(sleep|shutdown|generators)|(user|system)-generators)\//,
  /^\/var\/lib\/cloud\/scripts\/|^\/etc\/(s6[\w-]*|sv|service|runit|acpi|openvpn\/scripts)\//,
];

/** How a text is to be read: as it says itself, by its path, else by how it begins. */
export function formatOf(text: Text): Format {
  return formatsOf(text)[0] ?? "prose";
}

/** Like `formatOf`; of a text that may be one thing or another, both. */
export function formatsOf({ format, path, text, executable }: Text): readonly Format[] {
  if (format !== undefined) return [format];
  const shebang = interpreterFormats(text);
  if (shebang !== undefined) return shebang;
  const byPath = path === undefined ? undefined : ENDINGS.find(([pattern]) => pattern.test(path))?.[1];
  const sign = signOf(text);
  // A file may be named for its way, and end up elsewhere under another name.
  if (sign === "unit" && byPath !== "shell") return [sign];
  if (byPath !== undefined && TELLING.has(byPath)) {
    return sign === "yaml" || (sign === "json" && byPath === "unit") ? [byPath, sign] : [byPath];
  }
  // YAML has JSON in it.
  if (sign !== undefined) return [sign === "json" && byPath === "yaml" ? byPath : sign];
  const run = executable === true || (path !== undefined && RUN.some((pattern) => pattern.test(path)));
  if (run && (byPath === undefined || executable === true)) return ["shell"];
  if (assigns(text, path !== undefined && byPath === undefined)) return ["environment"];
  if (byPath !== undefined && byPath !== "prose") return [byPath];
  return [(byPath === undefined ? looks(text) : undefined) ?? "prose"];
}

/** Formats whose paths count for more than what the text looks like. */
const TELLING: ReadonlySet<Format> = new Set(["unit", "shell", "nix", "containerfile", "script"]);

const begins = (text: string): string => text.slice(0, 4096).replace(/^\uFEFF/, "");
const firstLine = (start: string): string =>
  start.split("\n").find((candidate) => !/^\s*(#|;|\/\/|$)/.test(candidate)) ?? "";

/** Beginnings that no prose has. */
function signOf(text: string): Format | undefined {
  const start = begins(text);
  if (
    /^(#cloud-config|#cloud-boothook|#include|#part-handler|## template:|Content-Type: multipart|MIME-Version:)/i.test(
      start,
    )
  ) {
    return "yaml";
  }
  const line = firstLine(start);
  if (/^\s*\[[A-Z][A-Za-z0-9-]*\]\s*$/.test(line)) return "unit";
  if (/^\s*\{\s*$|^\s*[{[]\s*("|\]|\}|\{|\[|\/\/|\/\*)/.test(line)) return "json";
  return /^(services|apiVersion):\s*(\S+\s*)?$/.test(line) ? "yaml" : undefined;
}

function looks(text: string): Format | undefined {
  const start = begins(text);
  const line = firstLine(start);
  if (
    /^\s*(\{[^}"]*\.\.\.[^}"]*\}|\{\s*(pkgs|lib|config)\b[^}"]*\}|_|[a-z][\w-]*)\s*(@\s*\w+\s*)?:(\s|$)/.test(
      line,
    )
  ) {
    return /^\s*[\w-]+:(\s|$)/.test(line) && !/[;]/.test(start) ? "yaml" : "nix";
  }
  return undefined;
}

/**
 * Whether a text is a file of variables: all its lines assign something. Readers of such files pass over what does not:
 * where a path says that it is a file, one line with a name in capitals is enough.
 */
function assigns(text: string, isFile: boolean): boolean {
  if (isFile && /^[ \t]*(?:export[ \t]+)?[A-Z_][A-Z0-9_]*=/m.test(text)) return true;
  let found = false;
  for (const line of text.split("\n")) {
    if (/^\s*([#;]|$)/.test(line)) continue;
    if (!/^[ \t]*(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=/.test(line)) return false;
    found = true;
  }
  return found;
}
