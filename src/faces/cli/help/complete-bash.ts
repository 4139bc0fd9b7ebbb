/** The completion script for bash, from version 3.2. */

import type { CompletedCommand, CompletedWords, OfferedValues } from "./completion-table.ts"

/**
 * Nothing that was typed or that a session is called is evaluated: lists of words are ours, ids are checked, titles are
 * shown where bash only lists, and the program is the one on the PATH, not the one in the line.
 */
export function bashCompletion(table: readonly CompletedCommand[]): string {
  const names = table.map(({ name }) => name).filter((name) => name !== "")
  return `# Completion of codewright for bash, printed by: codewright completions bash

# Sets "takes" and "values" for a flag of a command.
_codewright_flag() {
  takes=nothing values=anything
  case "$1 $2" in
${flagCases(table)}
  esac
}

_codewright_flags() {
  case "$1" in
${table.map(({ name, flags }) => `    '${name}') words='${flags.flatMap(({ spellings }) => spellings).join(" ")}' ;;`).join("\n")}
  esac
}

_codewright_verbs() {
  case "$1" in
${table
  .filter(({ verbs }) => verbs.length > 0)
  .map(({ name, verbs }) => `    '${name}') words='${verbs.map((verb) => verb.name).join(" ")}' ;;`)
  .join("\n")}
    *) words= ;;
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
  local id title ids=() lines=()
  while IFS=$'\\t' read -r id title; do
    case "$id" in *[!0-9a-zA-Z-]*) continue ;; "$cur"*) ;; *) continue ;; esac
    ids+=("$id")
    lines+=("$id  $title")
  done < <(command codewright completions sessions 2>/dev/null </dev/null)
  # Titles only where bash shows a list: anywhere else it would put them into the line.
  case "$COMP_TYPE" in
    63 | 33 | 64) [ "\${#ids[@]}" -gt 1 ] && ids=("\${lines[@]}") ;;
  esac
  compopt -o nosort 2>/dev/null
  COMPREPLY=("\${ids[@]}")
}

_codewright() {
  local IFS=$' \\t\\n' cur=\${COMP_WORDS[COMP_CWORD]} command= verb= at=0 i word words takes=nothing values=anything
  local commands='${names.join(" ")}'
  COMPREPLY=()
  compopt +o default 2>/dev/null
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$word" in
      =) continue ;; # bash reads --flag=value as three words
      --) compopt -o default 2>/dev/null; return ;;
      -?*) _codewright_flag "$command" "$word"; continue ;;
    esac
    case "$takes" in
      many) continue ;;
      one | optional) takes=nothing; continue ;;
      attached) takes=nothing; [ "\${COMP_WORDS[i - 1]}" = = ] && continue ;;
    esac
    if [ "$i" -eq 1 ] && [[ " $commands " == *" $word "* ]]; then
      command=$word
      continue
    fi
    _codewright_verbs "$command"
    if [ -z "$verb" ] && [ "$at" -eq 0 ] && [[ " $words " == *" $word "* ]]; then
      verb=$word
    else
      at=$((at + 1))
    fi
  done
  [ "$cur" = = ] && cur=

  if [ "$takes" = one ] || { [ "$takes" != nothing ] && [ "$takes" != attached ] && [ "\${cur#-}" = "$cur" ]; }; then
    :
  elif [ "\${cur#-}" != "$cur" ]; then
    _codewright_flags "$command"
    values="words $words"
  elif [ -z "$command" ]; then
    values=nothing
    [ "$COMP_CWORD" -eq 1 ] && values="words $commands"
  else
    _codewright_verbs "$command"
    if [ -z "$verb" ] && [ "$at" -eq 0 ] && [ -n "$words" ]; then
      values="words $words"
    else
      _codewright_word "$command $verb" "$at"
    fi
  fi

  case "$values" in
    "words "*) COMPREPLY=($(compgen -W "\${values#words }" -- "$cur")) ;;
    sessions) _codewright_sessions ;;
    files) compopt -o default 2>/dev/null ;;
    folders) compopt -o dirnames 2>/dev/null ;;
  esac
}

complete -o default -F _codewright codewright cw
`
}

/** How many words a flag takes, for the scripts. */
const amounts = {
  switch: "nothing",
  value: "one",
  optional: "optional",
  attached: "attached",
  list: "many",
  rules: "many",
} as const

/** As the scripts of bash and zsh write them. */
const writtenValues = (values: OfferedValues): string =>
  typeof values === "string" ? values : `'words ${values.join(" ")}'`

export function flagCases(table: readonly CompletedCommand[]): string {
  const rows = table.flatMap(({ name, flags }) =>
    flags
      .filter(({ kind }) => kind !== "switch")
      .map((flag) => ({
        patterns: flag.spellings.map((spelling) => `'${name} ${spelling}'`),
        then: `takes=${amounts[flag.kind]} values=${writtenValues(flag.values)}`,
      })),
  )
  return cases(rows)
}

/** Words are counted from 0. */
export function wordCases(table: readonly CompletedCommand[]): string {
  const rowsOf = (at: string, { words, repeats }: CompletedWords): readonly Case[] =>
    words.map((values, index) => ({
      patterns: [repeats && index === words.length - 1 ? `'${at} '*` : `'${at} ${index}'`],
      then: `values=${writtenValues(values)}`,
    }))
  return cases(
    table.flatMap((command) => [
      ...rowsOf(`${command.name} `, command),
      ...command.verbs.flatMap((verb) => rowsOf(`${command.name} ${verb.name}`, verb)),
    ]),
  )
}

interface Case {
  readonly patterns: readonly string[]
  readonly then: string
}

/** Those with the same outcome share a line: some lists of words are long. */
const cases = (rows: readonly Case[]): string =>
  [...Map.groupBy(rows, ({ then }) => then)]
    .map(([then, same]) => `    ${same.flatMap(({ patterns }) => patterns).join(" | ")}) ${then} ;;`)
    .join("\n")
