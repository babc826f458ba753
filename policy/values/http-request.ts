import type { Command } from "../reading/content.ts";
import { UNKNOWN } from "../reading/content.ts";

/** curl(1), wget(1), httpie and xh by all their names. */
const CLIENT = /^(curl|wget2?|https?|xhs?)$/;
const DATA_AS_WORDS = /^(https?|xhs?)$/;
/** curl's short options without a value, which may stand before one with a value in the same word: `-sXPOST`. */
const METHOD = /^-[0-9aBfgGiIjJklLMnNOpqRsSvVZ#:]*X(.*)$/;
const BODY =
  /^(-[0-9aBfgGiIjJklLMnNOpqRsSvVZ#:]*[dTF].*|--(data|json|upload-file|form|post-|body-|raw)\S*)$/s;
/** httpie's data items: `name=text`, `name:=json`, `name@file`. */
const ITEM = /^[^-\s=:@/][^=:@/]*(:=|=(?!=)|@)/;

export const isHttpClient = (name: string): boolean => CLIENT.test(name);

/** Whether a request that a command makes may change something: by its method, or because it has a body. */
export function sends(name: string, { words, input }: Pick<Command, "words" | "input">): boolean {
  const given = words.slice(1);
  const methods = given.flatMap((word, index) => {
    if (word === UNKNOWN) return [];
    if (/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/i.test(word)) return [word];
    const long = /^--(?:request|method)(?:=(.*))?$/.exec(word) ?? METHOD.exec(word);
    return long === null ? [] : [long[1] || given[index + 1]];
  });
  if (methods.length > 0) return !methods.every((method) => /^(GET|HEAD)$/i.test(String(method)));
  const items = DATA_AS_WORDS.test(name) ? ITEM : BODY;
  return (
    given.some((word) => word !== UNKNOWN && (BODY.test(word) || items.test(word))) ||
    (DATA_AS_WORDS.test(name) && input !== undefined)
  );
}

/** `word` with its percent-escapes resolved, as a server reads a path. */
export function percentDecoded(word: string): string {
  return word.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
