/** The rows of the corpus by class: what is asked of the permissions, in which world, and what must come of it. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"

export interface ClassRow {
  readonly id: string
  readonly class: string
  /**
   * ask: must not run unasked. deny: must be denied. free: must run unasked. hardened: may run unasked, because the
   * environment of read-only commands takes the effect away; only running it can show that.
   */
  readonly label: "ask" | "deny" | "free" | "hardened"
  readonly why: string
  readonly mode: string
  readonly rules: Readonly<Record<"allow" | "ask" | "deny", readonly string[]>>
  readonly tool: string
  readonly input: Readonly<Record<string, z.core.util.JSONType>>
  /** The name of a world of hostile-worlds.ts. */
  readonly world: string
}

const texts: z.ZodType<string[]> = z.array(z.string())

const schema: z.ZodType<ClassRow> = z.strictObject({
  id: z.string(),
  class: z.string(),
  label: z.enum(["ask", "deny", "free", "hardened"]),
  why: z.string().min(1),
  mode: z.string(),
  rules: z.strictObject({ allow: texts, ask: texts, deny: texts }),
  tool: z.string(),
  input: z.record(z.string(), z.json()),
  world: z.string(),
})

export const permissionClasses: readonly string[] = [
  "version-flags",
  "proxies",
  "made-names",
  "git-config",
  "loading-readers",
  "writing-readers",
  "stdin-interpreters",
  "later-code",
  "hidden-destruction",
  "parameter-rules",
  "fewer-questions",
  "outgrown-rules",
  "launched-denials",
]

export const readClass = (name: string): readonly ClassRow[] =>
  readFileSync(join(import.meta.dir, "../corpus/classes", `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => schema.parse(JSON.parse(line)))
