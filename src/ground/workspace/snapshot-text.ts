/** The user's shell profile as a small file that bash can read before each command. */

import type { ProfileShell } from "./snapshot-scripts.ts"

export interface NamedText {
  readonly name: string
  readonly text: string
}

/** What a shell reported about itself. */
export interface Profile {
  readonly path: string
  readonly options: readonly string[]
  readonly functions: readonly NamedText[]
  readonly aliases: readonly NamedText[]
}

/** Undefined when the last answer is missing, for then others may be too. */
export function parseProfile(answers: string): Profile | undefined {
  const texts = answers.split("\0")
  const records = Array.from({ length: Math.floor(texts.length / 3) }, (_, index) => ({
    kind: texts[index * 3] ?? "",
    name: texts[index * 3 + 1] ?? "",
    text: texts[index * 3 + 2] ?? "",
  }))
  if (records.at(-1)?.kind !== "done") return undefined
  const of = (kind: string): readonly NamedText[] => records.filter((record) => record.kind === kind)
  return {
    path: of("path")[0]?.text ?? "",
    options: of("option").map(({ name }) => name),
    functions: of("function"),
    aliases: [...of("alias"), ...of("aliases").flatMap(({ text }) => listedAliases(text))],
  }
}

/** The aliases as bash prints them: each value in single quotes, with inner quotes written `'\''`. */
function listedAliases(text: string): readonly NamedText[] {
  return [...text.matchAll(/^alias (?:-- )?([^=\n]+)='((?:[^']|'\\'')*)'$/gm)].map(([, name = "", value = ""]) => ({
    name,
    text: value.replaceAll(String.raw`'\''`, "'"),
  }))
}

/** What is read before each command has to stay small: bash takes about 0.1 ms for 1,000 characters. */
const mostFunctionCharacters = 200_000
const mostAliases = 1000

/** The functions worth taking over: those that could work in bash, as long as there is room for them. */
export function worthTaking(functions: readonly NamedText[], shell: ProfileShell): readonly NamedText[] {
  const usable = shell === "bash" ? functions : functions.filter(({ text }) => !zshOnly.test(text))
  let room = mostFunctionCharacters
  return usable.filter(({ text }) => {
    if (text.length > room) return false
    room -= text.length
    return true
  })
}

/** What bash parses without error but cannot do; a function with it could only get in the way of a command. */
const zshOnly =
  /\$\{[(=~^]|\b(?:setopt|unsetopt|emulate|zle|autoload|zstyle|zmodload|compdef|bindkey|print|whence|noglob|nocorrect)\b/

/**
 * Options come first, because functions may need them; aliases last, because they could change the meaning of what
 * follows.
 */
export function snapshotText({ path, options, functions, aliases }: Profile): string {
  const usable = aliases.filter((alias) => !asksBack(alias)).slice(0, mostAliases)
  return [
    ...options.map((name) => (isReadingOption(name) ? `shopt -s ${name}` : `set -o ${name}`)),
    ...functions.map(({ text }) => text.trimEnd()),
    ...(path === "" ? [] : [`export PATH=${quoted(path)}`]),
    ...(usable.length === 0 ? [] : [aliasLine(usable), "shopt -s expand_aliases"]),
    "",
  ].join("\n")
}

/** Whether an option may change how a command is parsed; bash sets those separately. */
export const isReadingOption = (name: string): boolean => name !== "noclobber" && name !== "pipefail"

/** `alias rm='rm -i'` and the like ask a question that no one answers, and then do nothing. */
function asksBack({ name, text }: NamedText): boolean {
  return ["rm", "cp", "mv", "ln"].includes(name) && /\s-\w*i|\s--interactive/.test(text)
}

/** All in one command; names that bash does not accept are skipped silently. */
const aliasLine = (aliases: readonly NamedText[]): string =>
  `alias -- ${aliases.map(({ name, text }) => `${quoted(name)}=${quoted(text)}`).join(" ")} 2>/dev/null`

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * Merges the profile's PATH with the agent's: what only the agent has, such as an active virtual environment, stays in
 * front or at the end; otherwise the profile's order counts.
 */
export function mergedPath(profile: string, own: string): string {
  const profileFolders = profile.split(":").filter((folder) => folder !== "")
  const known = new Set(profileFolders)
  const ownFolders = own.split(":").filter((folder) => folder !== "")
  const firstShared = ownFolders.findIndex((folder) => known.has(folder))
  const isMore = (folder: string): boolean => !known.has(folder)
  const front = ownFolders.slice(0, Math.max(0, firstShared)).filter(isMore)
  const back = ownFolders.slice(Math.max(0, firstShared)).filter(isMore)
  return [...new Set([...front, ...profileFolders, ...back])].join(":")
}
