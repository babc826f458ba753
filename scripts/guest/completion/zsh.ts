import { type Commands, globalOptions, type Option } from "./commands.ts";
import type { Words } from "./help.ts";

/** The text of _hermes, a file of a folder in zsh's fpath. */
export function zshCompletion(commands: Commands): string {
  const second = Object.entries(commands.commands).filter(([, { words }]) => Object.keys(words).length > 0);
  const first = Object.fromEntries(
    Object.entries(commands.commands).map(([command, { description }]) => [command, description]),
  );
  return `#compdef hermes
# Completion of \`hermes\`, as Hermes ${commands.hermes} describes itself. Written by \`npm run generate\` from commands.json.
# Asking Hermes itself would start a process in its container at every Tab.

local curcontext=$curcontext state state_descr line
local -A opt_args
local -a words_here

# Options behind a subcommand are its own.
_arguments -C -A '-*' \\
${globalOptions(commands).map(optionSpec).join(" \\\n")} \\
  '1: :->command' \\
  '*:: :->rest' && return

if [[ $state == command ]]; then
  words_here=(
${describe(first, "    ")}
  )
  _describe -t commands 'hermes command' words_here && return
elif [[ -z \${words[2,CURRENT-1]:#-*} ]]; then
  case $words[1] in
${second.map(([command, { words }]) => `    ${command}) words_here=(\n${describe(words, "      ")}\n    ) ;;`).join("\n")}
  esac
  if (( $#words_here )); then
    _describe -t commands "hermes $words[1] command" words_here && return
  fi
fi
_files
`;
}

/** An option may be given again, and its value stand in the next word or, after a long name, behind "=". */
function optionSpec({ names, value, optional, description }: Option): string {
  const forms = names.map((name) =>
    value === undefined ? name : name.startsWith("--") ? `${name}=` : `${name}+`,
  );
  const form = forms.length === 1 ? forms[0] : `{${forms.join(",")}}`;
  const argument = value === undefined ? "" : `${optional ? "::" : ":"}${value}:_files`;
  return `  '*'${form}${quoted(`[${description.replace(/[\\\][:]/g, "\\$&")}]${argument}`)}`;
}

const describe = (words: Words, indent: string): string =>
  Object.entries(words)
    .map(([word, text]) => indent + quoted(text === "" ? word : `${word}:${text.replaceAll("\\", "\\\\")}`))
    .join("\n");

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
