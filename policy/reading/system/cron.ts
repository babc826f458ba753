import type { Reader } from "../content.ts";

/**
 * A crontab (crontab(5)): each line's command becomes a shell text. In /etc, a user name stands before the command;
 * a word too many or too few in front does no harm, so it is taken off where there is one.
 */
export const readCron: Reader = ({ text, at, path }) => {
  const system = path?.startsWith("/etc/") === true;
  const fields = system ? 6 : 5;
  const texts = text.split("\n").flatMap((line, index) => {
    if (/^\s*(#|$)/.test(line) || /^\s*[A-Za-z_]\w*\s*=/.test(line)) return [];
    const words = line.trim().split(/\s+/);
    const command = words.slice(words[0]?.startsWith("@") ? fields - 4 : fields).join(" ");
    return [{ at: `${at} › line ${index + 1}`, text: command, format: "shell" as const }];
  });
  return { texts };
};
