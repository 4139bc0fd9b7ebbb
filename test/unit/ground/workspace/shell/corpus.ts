/** The corpus: commands, each with what the analysis must make of it. */

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"
import { analyse } from "#ground/workspace/shell/analyse.ts"
import type { ShellPlace } from "#ground/workspace/shell/analysis.ts"
import { decided } from "./decided.ts"

const outcomes = [
  "read_only",
  "reads_outside",
  "file_work",
  "writes_outside",
  "understood_not_read_only",
  "not_understood",
] as const

export type Outcome = (typeof outcomes)[number]

export interface CorpusCase {
  readonly id: string
  readonly command: string
  readonly expect: Outcome
  readonly class: string
  readonly critical: boolean
  readonly destructive: boolean
}

const schema: z.ZodType<CorpusCase> = z.object({
  id: z.string(),
  command: z.string(),
  expect: z.enum(outcomes),
  class: z.string(),
  critical: z.boolean().default(false),
  destructive: z.boolean().default(false),
})

const folder = join(import.meta.dir, "../../../../corpus/shell")

export const corpusFiles = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith(".jsonl"))

export function corpusCases(file: string): readonly CorpusCase[] {
  const lines = readFileSync(join(folder, file), "utf8").trimEnd().split("\n")
  return lines.map((line) => schema.parse(JSON.parse(line)))
}

const row = z.object({ input: z.object({ command: z.string().optional() }) })

/** The commands of the corpora that are decided by the whole pipeline. */
export const commandCorpus = (): readonly string[] =>
  ["commands.jsonl", "everyday.jsonl", "examined.jsonl"].flatMap((name) =>
    readFileSync(join(folder, "..", name), "utf8")
      .trimEnd()
      .split("\n")
      .flatMap((line) => row.parse(JSON.parse(line)).input.command ?? []),
  )

/** What is decided about a command, in the words of the corpus. */
export function outcomeOf(command: string, place: ShellPlace): Outcome {
  if (!analyse(command, place).understood) return "not_understood"
  const everywhere = ["Read", "Edit"]
  if (decided(command, place) === "allow") return "read_only"
  if (decided(command, place, { allow: ["Read"] }) === "allow") return "reads_outside"
  if (decided(command, place, { mode: "acceptEdits" }) === "allow") return "file_work"
  return decided(command, place, { mode: "acceptEdits", allow: everywhere }) === "allow"
    ? "writes_outside"
    : "understood_not_read_only"
}
