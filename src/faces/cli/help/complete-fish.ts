/** The completion script for fish. */

import type { CompletedCommand, CompletedFlag, CompletedWords, OfferedValues } from "./completion-table.ts"

export function fishCompletion(table: readonly CompletedCommand[]): string {
  const commands = table.filter(({ name }) => name !== "")
  return `# Completion of codewright for fish, printed by: codewright completions fish

set -g __codewright_commands ${commands.map(({ name }) => name).join(" ")}

# Whether the line is about this command; an empty name is the program itself.
function __codewright_in
    set -l words (commandline -opc)
    set -l command ''
    contains -- "$words[2]" $__codewright_commands; and set command $words[2]
    test "$command" = "$argv[1]"
end

# Whether so many words follow the command and its verb, if it has one; flags and their values are not told apart.
function __codewright_word
    __codewright_in $argv[1]; or return 1
    set -l words (commandline -opc)
    set -l plain (string match -v -- '-*' $words[3..-1])
    if test -n "$argv[2]"
        test "$plain[1]" = "$argv[2]"; or return 1
        set plain $plain[2..-1]
    end
    test (count $plain) $argv[3] $argv[4]
end

# Whether the word before is one of these flags, whose value may be left out.
function __codewright_after
    __codewright_in $argv[1]; or return 1
    set -l words (commandline -opc)
    contains -- "$words[-1]" $argv[2..-1]
end

# Whether the last flag is one of these, which take any number of values.
function __codewright_among
    __codewright_in $argv[1]; or return 1
    set -l flags (string match -- '-*' (commandline -opc))
    contains -- "$flags[-1]" $argv[2..-1]
end

function __codewright_sessions
    command codewright completions sessions </dev/null 2>/dev/null
end

complete -c codewright -f
complete -c cw -w codewright
complete -c codewright -n 'contains -- -- (commandline -opc)' -F
${commands.map(({ name, about }) => `complete -c codewright -n 'test (count (commandline -opc)) -eq 1' -a ${name} -d ${quoted(about)}`).join("\n")}
${table.flatMap(commandLines).join("\n")}
`
}

function commandLines(own: CompletedCommand): readonly string[] {
  const { name } = own
  return [
    ...own.verbs.map(
      (verb) =>
        `complete -c codewright -n "__codewright_word ${name} '' -eq 0" -a ${verb.name} -d ${quoted(verb.about)}`,
    ),
    ...wordLines(name, "''", own),
    ...own.verbs.flatMap((verb) => wordLines(name, verb.name, verb)),
    ...own.flags.flatMap((flag) => flagLines(name, flag)),
  ]
}

const wordLines = (command: string, verb: string, { words, repeats }: CompletedWords): readonly string[] =>
  words.flatMap((values, at) => {
    const count = `${repeats && at === words.length - 1 ? "-ge" : "-eq"} ${at}`
    const when = `__codewright_word ${command} ${verb} ${count}`
    return values === "anything" ? [] : [`complete -c codewright -n "${when}" ${offered(values)}`]
  })

function flagLines(command: string, { spellings, about, kind, values }: CompletedFlag): readonly string[] {
  const named = command === "" ? "''" : command
  const names = spellings.map((each) => (each.startsWith("--") ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`))
  const isNeeded = kind === "value" || kind === "list" || kind === "rules"
  const value = isNeeded ? (values === "files" ? " -r -F" : ` -x ${offered(values)}`.trimEnd()) : ""
  const flag = `complete -c codewright -n "__codewright_in ${named}" ${names.join(" ")}${value} -d ${quoted(about)}`
  const open =
    kind === "optional" ? "__codewright_after" : kind === "value" || kind === "switch" ? "" : "__codewright_among"
  if (open === "" || kind === "attached" || values === "anything") return [flag]
  return [flag, `complete -c codewright -n "${open} ${named} ${spellings.join(" ")}" ${offered(values)}`]
}

/** Lines of a command substitution are candidates with a description after a tab; fish does not evaluate them. */
function offered(values: OfferedValues): string {
  if (values === "sessions") return "-k -a '(__codewright_sessions)'"
  if (values === "folders") return "-a '(__fish_complete_directories)'"
  if (values === "files") return "-F"
  return values === "anything" ? "" : `-a ${quoted(values.join(" "))}`
}

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
