/** Every field of front matter: how it is read, what depends on it, and in which files it counts. See decision 38. */

import { lazily } from "#lib/lazily.ts"

export type FileKind = "command" | "skill" | "agent" | "style" | "rule"

export type FieldName =
  | "name"
  | "description"
  | "whenToUse"
  | "argumentHint"
  | "arguments"
  | "model"
  | "tools"
  | "allowedTools"
  | "disallowedTools"
  | "permissionMode"
  | "disableModelInvocation"
  | "userInvocable"
  | "context"
  | "agent"
  | "paths"
  | "maxTurns"
  | "maxBudgetUsd"
  | "maxBudgetTokens"
  | "isolation"
  | "background"
  | "forkContext"
  | "criticalReminder"
  | "color"
  | "prompt"
  | "hooks"
  | "mcpServers"
  | "skills"
  | "memory"
  | "effort"
  | "initialPrompt"
  | "omitClaudeMd"
  | "autoCompactWindow"
  | "shell"
  | "keepCodingInstructions"
  | "metadata"
  | "license"
  | "version"

/** How a value is decoded. `hint` keeps the brackets around arguments; `any` accepts everything. */
export type FieldType =
  | "text"
  | "flag"
  | "count"
  | "amount"
  | "names"
  | "globs"
  | "mode"
  | "isolation"
  | "effort"
  | "memory"
  | "hint"
  | "hooks"
  | "servers"
  | "any"

/**
 * What a mistake in the field costs. A file whose `narrows` or `grants` field cannot be decoded, or is written twice,
 * is rejected; so is one with a misspelled `narrows` field. Any other field is left out and reported.
 */
export type Weight = "narrows" | "grants" | "plain"

export interface Field {
  readonly reads: FieldType
  readonly weight: Weight
  readonly in: readonly FileKind[]
  /** Aliases, normalised with `comparable`. */
  readonly also?: readonly string[]
  /** The files in which it is decoded, but nothing uses it yet. */
  readonly unsupported?: readonly FileKind[]
}

const texts: readonly FileKind[] = ["command", "skill"]
const working: readonly FileKind[] = ["command", "skill", "agent"]

export const fields: { readonly [name in FieldName]: Field } = {
  name: { reads: "text", weight: "plain", in: ["command", "skill", "agent", "style"] },
  description: { reads: "text", weight: "plain", in: ["command", "skill", "agent", "style", "rule"] },
  whenToUse: { reads: "text", weight: "plain", in: texts },
  argumentHint: { reads: "hint", weight: "plain", in: texts },
  arguments: { reads: "names", weight: "plain", in: texts },
  model: { reads: "text", weight: "plain", in: working },

  // In an agent this is all it gets. People also write it as commands have it, and mean the same.
  tools: { reads: "names", weight: "narrows", in: ["agent"], also: ["allowedtools"] },
  allowedTools: { reads: "names", weight: "grants", in: texts },
  disallowedTools: { reads: "names", weight: "narrows", in: working },
  permissionMode: { reads: "mode", weight: "narrows", in: ["agent"] },
  disableModelInvocation: { reads: "flag", weight: "narrows", in: texts },
  userInvocable: { reads: "flag", weight: "narrows", in: texts },
  maxTurns: { reads: "count", weight: "narrows", in: ["agent"] },
  maxBudgetUsd: { reads: "amount", weight: "narrows", in: ["agent"] },
  maxBudgetTokens: { reads: "amount", weight: "narrows", in: ["agent"] },
  isolation: { reads: "isolation", weight: "narrows", in: ["agent"] },
  // Who carries it out decides which tools there are.
  context: { reads: "text", weight: "grants", in: texts },
  agent: { reads: "text", weight: "grants", in: texts },
  // A hook can refuse calls, so it matters what it would have done.
  hooks: { reads: "hooks", weight: "grants", in: working },
  // An own server is a program that runs.
  mcpServers: { reads: "servers", weight: "grants", in: ["agent"] },

  paths: { reads: "globs", weight: "plain", in: ["command", "skill", "rule"], also: ["globs"] },
  background: { reads: "flag", weight: "plain", in: ["agent"] },
  forkContext: { reads: "flag", weight: "plain", in: ["agent"] },
  criticalReminder: {
    reads: "text",
    weight: "plain",
    in: ["agent"],
    also: ["criticalsystemreminderexperimental"],
  },
  color: { reads: "text", weight: "plain", in: ["agent"] },
  omitClaudeMd: { reads: "flag", weight: "plain", in: ["agent"] },
  autoCompactWindow: { reads: "amount", weight: "plain", in: ["agent"] },
  prompt: { reads: "text", weight: "plain", in: ["agent"] },
  skills: { reads: "names", weight: "plain", in: ["agent"] },
  memory: { reads: "memory", weight: "plain", in: ["agent"] },
  effort: { reads: "effort", weight: "plain", in: working },
  initialPrompt: { reads: "text", weight: "plain", in: ["agent"] },
  shell: { reads: "any", weight: "plain", in: texts, unsupported: texts },
  keepCodingInstructions: { reads: "flag", weight: "plain", in: ["style"] },
  metadata: { reads: "any", weight: "plain", in: texts },
  license: { reads: "any", weight: "plain", in: texts },
  version: { reads: "any", weight: "plain", in: texts },
}

/** Ignores common spelling differences: `disallowed-tools`, `disallowed_tools` and `DisallowedTools` are one field. */
export const comparable = (written: string): string => written.toLowerCase().replaceAll(/[-_\s]/g, "")

export const namesFor = (kind: FileKind): readonly FieldName[] =>
  (Object.keys(fields) as FieldName[]).filter((name) => fields[name].in.includes(kind))

export const fieldOf = (written: string, kind: FileKind): FieldName | undefined =>
  known[kind]().get(comparable(written))

const knownIn = (kind: FileKind): (() => ReadonlyMap<string, FieldName>) =>
  lazily(
    () =>
      new Map(
        namesFor(kind).flatMap((name) => [comparable(name), ...(fields[name].also ?? [])].map((one) => [one, name])),
      ),
  )

const known: { readonly [kind in FileKind]: () => ReadonlyMap<string, FieldName> } = {
  command: knownIn("command"),
  skill: knownIn("skill"),
  agent: knownIn("agent"),
  style: knownIn("style"),
  rule: knownIn("rule"),
}

/** The ecosystem's spelling: words joined by dashes, except for agents. */
export function spelled(name: FieldName, kind: FileKind): string {
  if (kind === "agent") return name
  if (name === "whenToUse") return "when_to_use"
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
