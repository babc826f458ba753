import { type Commands, globalOptions, type Option } from "./commands.ts";

/** The text of hermes.bash. It stands alone: the package bash-completion may be absent. */
export function bashCompletion(commands: Commands): string {
  const options = globalOptions(commands);
  const required = options.filter(({ value, optional }) => value !== undefined && !optional);
  const optional = options.filter((option) => option.optional);
  const second = Object.entries(commands.commands).filter(([, { words }]) => Object.keys(words).length > 0);
  return `# shellcheck shell=bash
# Completion of \`hermes\`, as Hermes ${commands.hermes} describes itself. Written by \`npm run generate\` from commands.json.
# Asking Hermes itself would start a process in its container at every Tab.

_hermes() {
  local IFS=$' \\t\\n' current=$2 command='' index=1 word words=''
  COMPREPLY=()
  while [[ $index -lt $COMP_CWORD ]]; do
    word=\${COMP_WORDS[index]}
    index=$((index + 1))
    if [[ -n $command ]]; then
      if [[ $word != -* ]]; then return 0; fi
      continue
    fi
    case $word in
      ${names(required).join(" | ")})
        # "--model=x" is three words here.
        if [[ \${COMP_WORDS[index]} == '=' ]]; then index=$((index + 1)); fi
        index=$((index + 1))
        ;;
      ${names(optional).join(" | ")})
        if [[ \${COMP_WORDS[index]} == '=' ]]; then index=$((index + 1)); fi
        if [[ \${COMP_WORDS[index]} != -* ]]; then index=$((index + 1)); fi
        ;;
      -*) ;;
      *) command=$word ;;
    esac
  done
  # The word at the cursor is an option's value.
  if [[ $index -gt $COMP_CWORD ]]; then return 0; fi
  case $command in
    '')
      words='${Object.keys(commands.commands).join(" ")}'
      if [[ $current == -* ]]; then
        words='${names(options).join(" ")}'
      fi
      ;;
${second.map(([command, { words }]) => `    ${command}) words='${Object.keys(words).join(" ")}' ;;`).join("\n")}
  esac
  for word in $words; do
    if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done
}

# Where nothing of this fits: files.
complete -o bashdefault -o default -F _hermes hermes
`;
}

const names = (options: readonly Option[]): string[] => options.flatMap((option) => option.names);
