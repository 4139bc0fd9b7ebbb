/** The head of a file as what it says about a command. What it says and nobody follows is named. */

import type { CommandDefinition, CommandSource } from "#agent/words/command.ts"
import { type FrontMatter, readFrontMatter } from "#lib/front-matter.ts"
import { given } from "#lib/given.ts"
import { splitGlobs } from "#lib/glob.ts"
import { nearNames } from "#lib/near.ts"

/** A file that may be read. */
export interface CommandFile {
  readonly name: string
  readonly kind: "command" | "skill"
  readonly source: CommandSource
  readonly path?: string
  /** The folder of a skill. */
  readonly folder?: string
  readonly text: () => string | undefined
}

const mostDescription = 1_000

export function decodeCommand(
  file: CommandFile,
  text: string,
  /** Parts a list of rules that is written as one text. */
  splitRules: (text: string) => readonly string[],
): CommandDefinition {
  const { fields, body } = readFrontMatter(text)
  const problems: string[] = []
  const say = (problem: string): void => void problems.push(`${file.path ?? file.name}: ${problem}`)
  const isOpen = /^\uFEFF?---[ \t]*\r?\n/.test(text) && body === text
  if (isOpen) say("the lines of dashes around its head are not both there, so all of it is taken as text.")

  const one = (name: string): string | undefined => {
    const value = fields[name]
    const whole = typeof value === "string" ? value.trim() : value?.join(", ")
    return whole === undefined || whole === "" ? undefined : whole
  }
  const is = (name: string, usual: boolean): boolean => {
    const value = one(name)?.toLowerCase()
    if (value === undefined || value === "true" || value === "false")
      return value === undefined ? usual : value === "true"
    say(`${name} must be true or false, not ${value}.`)
    return usual
  }
  const rules = (name: string): readonly string[] => {
    const value = fields[name]
    return typeof value === "string" ? splitRules(value) : (value ?? []).flatMap((rule) => splitRules(rule))
  }
  const context = one("context")
  if (context !== undefined && context !== "fork") say(`context can only be fork, not ${context}.`)
  for (const field of Object.keys(fields)) {
    if (unfollowed.includes(field)) say(`${field} is not followed yet.`)
    if (known.includes(field) || unfollowed.includes(field)) continue
    const near = nearNames(field, known, 1)[0]
    if (near !== undefined) say(`there is no field ${field}; did you mean ${near}?`)
  }
  const model = one("model")
  const paths = fields.paths
  const globs = typeof paths === "string" ? splitGlobs(paths) : paths
  const names = fields.arguments
  const argumentNames = typeof names === "string" ? names.split(/[\s,]+/).filter((name) => name !== "") : (names ?? [])

  return {
    name: file.name,
    kind: file.kind,
    source: file.source,
    description: shortened(one("description") ?? firstLine(isOpen ? "" : body)),
    ...given("whenToUse", one("when_to_use") ?? one("when-to-use")),
    takes: hintOf(fields, argumentNames),
    argumentNames,
    allowedTools: rules("allowed-tools"),
    disallowedTools: rules("disallowed-tools"),
    ...given("model", model === "inherit" ? undefined : model),
    // A command that does not say what it is for was written for whoever knows it.
    isForModel: !is("disable-model-invocation", false) && (file.kind === "skill" || one("description") !== undefined),
    isForPerson: is("user-invocable", true),
    ...given("fork", context === "fork" ? given("agent", one("agent")) : undefined),
    ...given("paths", globs === undefined || globs.length === 0 ? undefined : globs),
    body,
    ...given("path", file.path),
    ...given("folder", file.folder),
    problems,
  }
}

/** `[a] [b]` is how a hint is written and also a list of one notation: what was taken apart is put together again. */
function hintOf(fields: FrontMatter["fields"], names: readonly string[]): string {
  const hint = fields["argument-hint"]
  if (hint === undefined) return names.map((name) => `<${name}>`).join(" ")
  return typeof hint === "string" ? hint.trim() : `[${hint.join(", ")}]`
}

const firstLine = (body: string): string =>
  body
    .split("\n")
    .map((line) => line.replace(/^[#>\s*-]+/, "").trim())
    .find((line) => line !== "")
    ?.slice(0, 100) ?? ""

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, " ")
  return line.length > mostDescription ? `${line.slice(0, mostDescription - 1).toWellFormed()}…` : line
}

const unfollowed: readonly string[] = ["hooks", "effort", "background", "shell"]

const known: readonly string[] = [
  "name",
  "description",
  "when_to_use",
  "when-to-use",
  "argument-hint",
  "arguments",
  "allowed-tools",
  "disallowed-tools",
  "model",
  "disable-model-invocation",
  "user-invocable",
  "context",
  "agent",
  "paths",
  "metadata",
  "license",
  "version",
]
