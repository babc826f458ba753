import type { Format, Text } from "./content.ts";

/** By the end of a path. What is not listed is told by the text itself. */
const ENDINGS: ReadonlyArray<readonly [pattern: RegExp, format: Format]> = [
  [/\.(container|volume|network|kube|pod|image|build)$/, "unit"],
  [/\.(service|socket|timer|path|mount|automount|target|slice|swap|scope|netdev|link)$/, "unit"],
  [/^\/etc\/(systemd|containers\/systemd)\/.*\.conf$/, "unit"],
  [/\.(service|container|volume|network|kube|pod|image|build|mount|socket|timer)\.d\/[^/]+\.conf$/, "unit"],
  [/\.(yaml|yml|cfg)$/i, "yaml"],
  [/\.(json|hujson|jsonc)$/i, "json"],
  [/\.nix$/, "nix"],
  [/\.(sh|bash|bashrc|profile)$/, "shell"],
  [/\/\.(bashrc|bash_profile|profile|bash_login|zshrc)$/, "shell"],
  [/\.(py|pl|rb|js|mjs|cjs|ts|lua|php)$/, "script"],
  [/(\.env|\/environment|^\/etc\/default\/[^/]+|^\/etc\/conf\.d\/[^/]+)$/, "environment"],
  [/^\/etc\/fstab$/, "fstab"],
  [/^\/etc\/cron(tab$|\.d\/)|^\/var\/spool\/cron\//, "cron"],
  [/\.(md|txt|rst|html)$|\/(motd|issue|issue\.net|LICENSE|README)$/i, "prose"],
];

const SHELLS = /^(sh|bash|dash|ash|ksh|mksh|zsh|rbash|busybox)$/;

/** How a text is to be read: as it says itself, by its path, else by how it begins. */
export function formatOf({ format, path, text }: Text): Format {
  if (format !== undefined) return format;
  const byPath = path === undefined ? undefined : ENDINGS.find(([pattern]) => pattern.test(path))?.[1];
  return byPath ?? beginning(text) ?? (path !== undefined && inBin(path) ? "shell" : "prose");
}

function beginning(text: string): Format | undefined {
  const start = text.slice(0, 4096).replace(/^\uFEFF/, "");
  const shebang = /^#!\s*(\S+)(?:[ \t]+(.*))?/.exec(start);
  if (shebang !== null) return interpreterFormat(shebang[1] ?? "", shebang[2] ?? "");
  if (
    /^(#cloud-config|#cloud-boothook|#include|#part-handler|## template:|Content-Type: multipart|MIME-Version:)/i.test(
      start,
    )
  ) {
    return "yaml";
  }
  const line = start.split("\n").find((candidate) => !/^\s*(#|;|\/\/|$)/.test(candidate)) ?? "";
  if (/^\s*\[[A-Z][A-Za-z0-9-]*\]\s*$/.test(line)) return "unit";
  if (/^\s*\{\s*$|^\s*[{[]\s*("|\]|\}|\{|\[|\/\/|\/\*)/.test(line)) return "json";
  if (
    /^\s*(\{[^}"]*\.\.\.[^}"]*\}|\{\s*(pkgs|lib|config)\b[^}"]*|_|[a-z]\w*)\s*(@\s*\w+\s*)?:(\s|$)/.test(line)
  ) {
    return /^\s*[\w-]+:(\s|$)/.test(line) && !/[;]/.test(start) ? "yaml" : "nix";
  }
  return undefined;
}

function interpreterFormat(program: string, rest: string): Format {
  const base = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const name = base(program) === "env" ? rest.split(/\s+/).find((word) => !/^-|=/.test(word)) : program;
  return SHELLS.test(base(name ?? "")) ? "shell" : "script";
}

/** A program without a shebang is run by the shell that starts it. */
const inBin = (path: string): boolean =>
  /\/s?bin\/[^/]+$|^\/etc\/(rc\.local|profile)$|^\/etc\/cron\.(hourly|daily|weekly|monthly)\//.test(path);
