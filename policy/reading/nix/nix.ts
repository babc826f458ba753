import { type Reader, type Setting, UNKNOWN } from "../content.ts";
import { nixLaunches } from "./containers.ts";
import { nixFileSystems } from "./file-systems.ts";
import { parseNix } from "./parse.ts";
import { walkNix } from "./walk.ts";

/**
 * Nix: NixOS modules, flakes and expressions. Yields attributes as settings, the texts of scripts and units,
 * containers and mounts. Nothing is evaluated: a value that the file does not tell is UNKNOWN, or
 * `$UNKNOWN_NIX_VALUE` inside a text; `${pkgs.x}/bin/x` is `/nix/store/unknown/bin/x`.
 * What is not read to its end is unread.
 */
export const readNix: Reader = (text) => {
  const { tree, complete } = parseNix(text.text);
  const { settings, texts } = walkNix(tree, text.at);
  const found: Setting[] = settings.map(({ path, value, at }) => ({ path, value, at }));
  if (!complete) found.push({ path: [], value: UNKNOWN, at: text.at });
  return {
    unread: complete ? [] : [text.at],
    settings: found,
    texts,
    launches: nixLaunches(settings, text.at),
    fileSystems: nixFileSystems(settings, text.at),
  };
};
