/** What the process that prepared a replay and the one that runs among the copies tell each other, in files. Recorded commands run there too, so both are checked. */

import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { objectIn } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import * as shape from "#lib/shape.ts"
import type { Comparison } from "#session/replay/compare.ts"

export interface Job {
  readonly id: string
  readonly cwd: string
  readonly state: string
  readonly slug: string
  readonly base: string
  readonly history: string
  /** Whether the copies are at the paths of the originals. */
  readonly inPlace: boolean
  /** Command-line flags about permissions and the system prompt. */
  readonly argv: readonly string[]
}

const jobShape = shape.object({
  id: shape.string(),
  cwd: shape.string(),
  state: shape.string(),
  slug: shape.string(),
  base: shape.string(),
  history: shape.string(),
  inPlace: shape.boolean(),
  argv: shape.array(shape.string()),
})

const reportShape = shape.object({
  ok: shape.boolean(),
  failure: shape.string().optional(),
  value: shape
    .object({
      requests: shape.int(),
      results: shape.int(),
      first: shape.object({ where: shape.string(), was: shape.string(), is: shape.string() }).optional(),
    })
    .optional(),
})

const jobIn = (base: string): string => join(base, "job.json")
const reportIn = (base: string): string => join(base, "report.json")

export const writeJob = (job: Job): void => writeFileSync(jobIn(job.base), JSON.stringify(job), { mode: 0o600 })

/** Undefined if none is prepared there. */
export function readJob(base: string): Job | undefined {
  const job = existsSync(jobIn(base)) ? jobShape.read(objectIn(readFileSync(jobIn(base), "utf8")), "") : undefined
  return job?.ok ? job.value : undefined
}

export const writeReport = (base: string, report: Result<Comparison, string>): void =>
  writeFileSync(reportIn(base), JSON.stringify(report), { mode: 0o600 })

/** Undefined if the process ended without one. */
export function readReport(base: string): Result<Comparison, string> | undefined {
  if (!existsSync(reportIn(base))) return undefined
  const report = reportShape.read(objectIn(readFileSync(reportIn(base), "utf8")), "")
  if (!report.ok) return failed(`The report of the replay cannot be read. ${report.complaints.join(" ")}`)
  const { value, failure = "The report of the replay is empty." } = report.value
  return value ? ok({ ...value, first: value.first }) : failed(failure)
}
