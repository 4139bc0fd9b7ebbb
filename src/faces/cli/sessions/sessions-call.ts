/** What the verbs of `codewright sessions` work with. */

import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { Io } from "#faces/cli/io.ts"
import type { Where } from "#faces/cli/where.ts"

export type SessionsFlag =
  | "json"
  | "all"
  | "limit"
  | "days"
  | "requests"
  | "connections"
  | "format"
  | "html"
  | "patch"
  | "otlp"
  | "atif"
  | "output"
  | "yes"
  | "allow"
  | "deny"
  | "message"
  | "keep"
  | "approve"
  | "mode"
  | "wish"
  | "choose"
  | "accept"
  | "decline"
  | "rule"
  | "to"
  | "folder"
  | "input"
  | "digest"
  | "server"
  | "help"

export const ruleTargets = ["session", "local", "project", "user"] as const

export const exportFormats = ["md", "json", "html", "patch", "otlp", "atif"] as const

export interface SessionsCall {
  readonly args: Arguments<SessionsFlag>
  readonly words: readonly string[]
  readonly where: Where
  readonly io: Io
}
