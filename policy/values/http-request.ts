import type { Command } from "../reading/content.ts";

/** curl(1), wget(1), httpie and xh by all their names. */
const CLIENTS: ReadonlySet<string> = new Set(["curl", "wget", "wget2", "http", "https", "xh", "xhs"]);
/** Those that take data as words, or as their input. */
const WITH_ITEMS: ReadonlySet<string> = new Set(["http", "https", "xh", "xhs"]);
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);
const READING: ReadonlySet<string> = new Set(["GET", "HEAD"]);
/** curl's short options without a value may stand before one with a value in the same word: `-sXPOST`. */
const METHOD = /^(?:--(?:request|method)=?|-[0-9aBfgGiIjJklLMnNOpqRsSvVZ#:]*X)(.*)/;
const BODY = /^(-[0-9aBfgGiIjJklLMnNOpqRsSvVZ#:]*[dTF]|--(data|json|upload-file|form|post-|body-|raw))/;
/** httpie's data items: `name=text`, `name:=json`, `name@file`. */
const ITEM = /^[^-\s=:@/][^=:@/]*(:=|=(?!=)|@)/;

export const isHttpClient = (name: string): boolean => CLIENTS.has(name);

/** Whether a request that a command makes may change something: by its method, or because it has a body. */
export function sends(name: string, { words, input }: Pick<Command, "words" | "input">): boolean {
  const known = words.map(String);
  const methods = known.flatMap((word, index) => {
    const given = METHOD.exec(word);
    if (given !== null) return [given[1] || String(known[index + 1])];
    return METHODS.has(word.toUpperCase()) ? [word] : [];
  });
  if (methods.length > 0) return !methods.every((method) => READING.has(method.toUpperCase()));
  const items = WITH_ITEMS.has(name);
  return (
    known.some((word) => BODY.test(word) || (items && ITEM.test(word))) || (items && input !== undefined)
  );
}

/** `word` with its percent-escapes resolved, as a server reads a path. */
export function percentDecoded(word: string): string {
  return word.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
