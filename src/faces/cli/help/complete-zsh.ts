/** The completion script for zsh: to be sourced, or as the file `_codewright` in a folder of `fpath`. */

import { flagCases, wordCases } from "./complete-bash.ts"
import type { CompletedCommand } from "./completion-table.ts"

export function zshCompletion(table: readonly CompletedCommand[]): string {
  const commands = table.filter(({ name }) => name !== "")
  return `#compdef codewright cw
# Completion of codewright for zsh, printed by: codewright completions zsh

# Sets "takes" and "values" for a flag of a command.
_codewright_flag() {
  takes=nothing values=anything
  case "$1 $2" in
${flagCases(table)}
  esac
}

_codewright_flags() {
  case "$1" in
${table.map(({ name, flags }) => `    '${name}') list=(${described(flags.flatMap(({ spellings, about }) => spellings.map((each) => [each, about] as const)))}) ;;`).join("\n")}
  esac
}

_codewright_verbs() {
  case "$1" in
${table
  .filter(({ verbs }) => verbs.length > 0)
  .map(
    ({ name, verbs }) => `    '${name}') list=(${described(verbs.map((verb) => [verb.name, verb.about] as const))}) ;;`,
  )
  .join("\n")}
    *) list=() ;;
  esac
}

# Sets "values" for a word after a command, or after its verb.
_codewright_word() {
  values=anything
  case "$1 $2" in
${wordCases(table)}
  esac
}

_codewright_sessions() {
  local id title
  local -a ids shown
  while IFS=$'\\t' read -r id title; do
    [[ $id == [0-9a-zA-Z]* && $id != *[^0-9a-zA-Z-]* ]] || continue
    ids+=("$id")
    shown+=("$id  $title")
  done < <(command codewright completions sessions 2>/dev/null </dev/null)
  compadd -V sessions -l -d shown -a ids
}

_codewright() {
  local cur=$words[CURRENT] command= verb= at=0 i word takes=nothing values=anything
  local -a list commands
  commands=(${described(commands.map(({ name, about }) => [name, about] as const))})
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      (--) _files; return ;;
      (--*=*) takes=nothing; continue ;;
      (-?*) _codewright_flag "$command" "$word"; continue ;;
    esac
    case $takes in
      (many) continue ;;
      (one | optional) takes=nothing; continue ;;
    esac
    if (( i == 2 )) && [[ -n \${commands[(r)$word:*]} ]]; then
      command=$word
      continue
    fi
    _codewright_verbs "$command"
    if [[ -z $verb && $at -eq 0 && -n \${list[(r)$word:*]} ]]; then
      verb=$word
    else
      (( at += 1 ))
    fi
  done

  if [[ $cur == --*=* ]]; then
    _codewright_flag "$command" "\${cur%%=*}"
    compset -P '*='
  elif [[ $takes == one ]] || [[ $takes == (optional|many) && $cur != -* ]]; then
    :
  elif [[ $cur == -* ]]; then
    _codewright_flags "$command"
    _describe -o option list
    return
  elif [[ -z $command ]]; then
    (( CURRENT == 2 )) && _describe command commands
    return
  else
    _codewright_verbs "$command"
    if [[ -z $verb && $at -eq 0 && $#list -gt 0 ]]; then
      _describe verb list
      return
    fi
    _codewright_word "$command $verb" "$at"
  fi

  case $values in
    ('words '*) compadd -- \${=values#words } ;;
    (sessions) _codewright_sessions ;;
    (files) _files ;;
    (folders) _files -/ ;;
  esac
}

if [[ $funcstack[1] == _codewright ]]; then
  _codewright "$@"
else
  compdef _codewright codewright cw
fi
`
}

const described = (rows: readonly (readonly [name: string, about: string])[]): string =>
  rows.map(([name, about]) => quoted(`${name}:${about}`)).join(" ")

/** One word of a POSIX shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
