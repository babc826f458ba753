# shellcheck shell=bash
# Completion of `hermes`, as Hermes 0.19.0 describes itself. Written by `npm run generate` from commands.json.
# Asking Hermes itself would start a process in its container at every Tab.

_hermes() {
  local IFS=$' \t\n' current=$2 command='' index=1 word words=''
  COMPREPLY=()
  while [[ $index -lt $COMP_CWORD ]]; do
    word=${COMP_WORDS[index]}
    index=$((index + 1))
    if [[ -n $command ]]; then
      if [[ $word != -* ]]; then return 0; fi
      continue
    fi
    case $word in
      -z | --oneshot | --usage-file | -m | --model | --provider | -t | --toolsets | --resume | -r | --skills | -s | -p | --profile)
        # "--model=x" is three words here.
        if [[ ${COMP_WORDS[index]} == '=' ]]; then index=$((index + 1)); fi
        index=$((index + 1))
        ;;
      --continue | -c)
        if [[ ${COMP_WORDS[index]} == '=' ]]; then index=$((index + 1)); fi
        if [[ ${COMP_WORDS[index]} != -* ]]; then index=$((index + 1)); fi
        ;;
      -*) ;;
      *) command=$word ;;
    esac
  done
  # The word at the cursor is an option's value.
  if [[ $index -gt $COMP_CWORD ]]; then return 0; fi
  case $command in
    '')
      words='chat model moa fallback secrets migrate gateway proxy lsp setup postinstall whatsapp whatsapp-cloud slack send login logout auth status cron webhook portal kanban project hooks doctor security dump debug backup checkpoints import config console pairing skills bundles plugins curator pets journey learning memory-graph memory tools computer-use mcp sessions insights claw version update uninstall acp profile completion dashboard serve desktop gui logs prompt-size'
      if [[ $current == -* ]]; then
        words='-h --help --version -V -z --oneshot --usage-file -m --model --provider -t --toolsets --resume -r --no-restore-cwd --continue -c --worktree -w --accept-hooks --skills -s --yolo --pass-session-id --ignore-user-config --ignore-rules --safe-mode --tui --cli --dev -p --profile'
      fi
      ;;
    moa) words='list ls configure config delete rm' ;;
    fallback) words='list ls add remove rm clear' ;;
    secrets) words='bitwarden bw onepassword op 1password' ;;
    migrate) words='xai' ;;
    gateway) words='run start stop restart status install uninstall list setup migrate-legacy enroll' ;;
    proxy) words='start status providers' ;;
    lsp) words='status list install install-all restart which' ;;
    setup) words='model tts terminal gateway tools agent' ;;
    slack) words='manifest' ;;
    auth) words='add list remove reset status logout spotify' ;;
    cron) words='list create add edit pause resume run remove rm delete status runs history tick' ;;
    webhook) words='subscribe add list ls remove rm test' ;;
    portal) words='login info status open tools' ;;
    kanban) words='init boards create swarm list ls show assign reclaim reassign diagnostics diag link unlink claim comment attach attachments attach-rm complete edit block schedule unblock promote archive tail dispatch daemon watch stats notify-subscribe notify-list notify-unsubscribe log runs heartbeat assignees context specify decompose gc' ;;
    project) words='create list ls show add-folder remove-folder rename set-primary use archive restore bind-board' ;;
    hooks) words='list ls test revoke remove rm doctor' ;;
    security) words='audit' ;;
    debug) words='share delete' ;;
    checkpoints) words='status list prune clear clear-legacy' ;;
    config) words='show edit get set unset path env-path check migrate' ;;
    pairing) words='list approve revoke clear-pending' ;;
    skills) words='browse search install inspect list check update audit uninstall reset list-modified diff opt-out opt-in repair-official publish snapshot tap config' ;;
    bundles) words='list show create delete reload' ;;
    plugins) words='install update remove rm uninstall list ls enable disable' ;;
    curator) words='status usage run pause resume pin unpin restore list-archived archive prune backup rollback' ;;
    pets) words='list install select show off scale remove doctor' ;;
    journey) words='list delete edit' ;;
    learning) words='list delete edit' ;;
    memory-graph) words='list delete edit' ;;
    memory) words='setup status off reset' ;;
    tools) words='list disable enable post-setup' ;;
    computer-use) words='install status doctor permissions' ;;
    mcp) words='serve add remove rm list ls test configure config login reauth picker catalog install' ;;
    sessions) words='list export delete prune archive optimize repair stats rename browse' ;;
    claw) words='migrate cleanup clean' ;;
    profile) words='list use create delete describe show alias rename export import install update info' ;;
    completion) words='bash zsh fish' ;;
    dashboard) words='register' ;;
  esac
  for word in $words; do
    if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done
}

# Where nothing of this fits: files.
complete -o bashdefault -o default -F _hermes hermes
