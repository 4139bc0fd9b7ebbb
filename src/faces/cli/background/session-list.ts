/** All sessions of this user that work, wait for an answer, are open somewhere, or ended lately. */

import type { BackgroundJob } from "#fleet/background/job.ts"
import { type Jobs, openJobs } from "#fleet/background/jobs.ts"
import { type LogProgress, progressOf } from "#fleet/background/progress.ts"
import { type SessionRow, withCatalog } from "#ground/transcript/catalog.ts"
import { loadTail } from "#ground/transcript/load.ts"
import { holderOf } from "#ground/transcript/lock.ts"
import type { Question } from "#agent/words/question.ts"
import { optional } from "#lib/optional.ts"
import { approvalOf } from "#session/port/approval.ts"
import { logsOf } from "./job-places.ts"
import { nameOf } from "#faces/cli/sessions/session-line.ts"
import { type ListedState, listedStates } from "#faces/view/listed-state.ts"
import type { Where } from "#faces/cli/where.ts"

export interface ListedSession {
  readonly id: string
  readonly name: string
  readonly state: ListedState
  /** Whether the host of background sessions looks after it. */
  readonly background: boolean
  readonly cwd: string
  readonly branch: string
  readonly model: string
  readonly costUsd: number
  /** Milliseconds since the epoch. */
  readonly changedAt: number
  /** The last thing it said, did or asked, on one line. */
  readonly last: string
  readonly questions: readonly ListedQuestion[]
  /** It continues by itself once it is resumed: a turn was cut off, or a question is open. */
  readonly isCutOff?: true
  /** The process that has it open. */
  readonly pid?: number
  /** Absent until it has begun. */
  readonly path?: string
}

export interface ListedQuestion {
  readonly id: string
  readonly kind: string
  readonly title: string
  readonly digest: string
}

const lately = 24 * 3_600_000
const mostEnded = 20
const mostRows = 200

/** `isDue`: the host has something to do. */
export interface ListedSessions {
  readonly sessions: readonly ListedSession[]
  readonly isDue: boolean
}

export async function sessionList(
  { state, catalog: file, projects }: Pick<Where, "state" | "catalog" | "projects">,
  now: number,
): Promise<ListedSessions> {
  const jobs = openJobs(state, process.pid)
  const known = new Map(jobs.list().map((job) => [job.id, job]))
  const rows = await withCatalog({ file, projects }, async (catalog) => {
    const newest = await catalog.list({ limit: mostRows })
    const ids = new Set(newest.map(({ id }) => id))
    const others = [...known.keys()].filter((id) => !ids.has(id))
    return [...newest, ...(await Promise.all(others.map((id) => catalog.named(id)))).flat()]
  })
  const found = new Set(rows.map(({ id }) => id))
  let isDue = false
  let ended = 0
  const sessions: ListedSession[] = []
  for (const row of rows) {
    const job = known.get(row.id)
    const holder = holderOf(`${row.path}.lock`, process.pid)
    if (!job && !holder && now - row.changed > lately) continue
    const progress = progressIn(row.path)
    if (!job && !holder && isRemoved(row.id, progress, jobs)) continue
    if (job && !holder && isWaitingForHost(job, progress, jobs)) isDue = true
    const listed = listedSession(row, { job, jobs, progress, pid: holder?.pid })
    if (!job && !holder && listed.state !== "waiting" && ++ended > mostEnded) continue
    sessions.push(listed)
  }
  for (const job of known.values()) {
    // Its log was deleted.
    if (found.has(job.id) || (job.prompts.length === 0 && !logsOf(state, job.cwd).find(job.id))) continue
    sessions.push(unbegun(job, jobs))
    isDue ||= isWaitingForHost(job, undefined, jobs)
  }
  const order = (one: ListedSession): number => listedStates.indexOf(one.state)
  return { sessions: sessions.toSorted((a, b) => order(a) - order(b) || b.changedAt - a.changedAt), isDue }
}

function progressIn(path: string): LogProgress | undefined {
  const loaded = loadTail(path, { torn: "leave" })
  return loaded.ok ? progressOf(loaded.value.entries) : undefined
}

/** Not by when its log was written: whoever closes it notes its connections there. */
const isRemoved = (id: string, progress: LogProgress | undefined, jobs: Jobs): boolean => {
  const removed = jobs.marked(id, "removed")
  return removed !== undefined && removed.at >= (progress?.begunAt ?? 0)
}

/** Something is to be done, and nobody does it. */
function isWaitingForHost({ id, prompts }: BackgroundJob, progress: LogProgress | undefined, jobs: Jobs): boolean {
  if (jobs.marked(id, "stopped") || jobs.marked(id, "problem")) return false
  const hasMail = jobs.marked(id, "mail") ?? jobs.marked(id, "reading")
  return prompts.length > 0 || progress?.isDue === true || progress?.loop !== undefined || hasMail !== undefined
}

function listedSession(
  row: SessionRow,
  parts: {
    readonly job: BackgroundJob | undefined
    readonly jobs: Jobs
    readonly progress: LogProgress | undefined
    readonly pid: number | undefined
  },
): ListedSession {
  const { job, jobs, progress, pid } = parts
  const problem = job && jobs.marked(row.id, "problem")?.text
  const state = problem === undefined ? stateOf(row.id, parts) : "failed"
  const questions = state === "waiting" ? (progress?.questions ?? []).map(listedQuestion) : []
  const asked = questions[0]?.title
  const why = state === "failed" ? progress?.end?.message : undefined
  return {
    id: row.id,
    // Its log has the name only once it has begun.
    name: nameOf({ ...row, title: row.title ?? job?.args["name"]?.at(-1) }),
    state,
    background: job !== undefined,
    cwd: row.cwd,
    branch: row.branch,
    model: row.model,
    costUsd: row.costUsd,
    changedAt: row.changed,
    last: oneLine(problem ?? asked ?? why ?? progress?.last ?? ""),
    questions,
    ...((progress?.isDue || progress?.state === "waiting") && { isCutOff: true }),
    ...optional("pid", pid),
    path: row.path,
  }
}

function stateOf(id: string, { job, jobs, progress, pid }: Parameters<typeof listedSession>[1]): ListedState {
  if (job && pid === undefined && jobs.marked(id, "stopped")) return "stopped"
  if (job && job.prompts.length > 0 && progress?.state !== "waiting") return "working"
  // Its log cannot be read.
  if (!progress) return "failed"
  switch (progress.state) {
    case "waiting":
      return "waiting"
    case "working":
      return pid !== undefined || job ? "working" : "stopped"
    case "new":
      return pid === undefined ? "stopped" : "open"
    default:
      return pid !== undefined && !job ? "open" : progress.state
  }
}

function unbegun(job: BackgroundJob, jobs: Jobs): ListedSession {
  const problem = jobs.marked(job.id, "problem")?.text
  const isStopped = jobs.marked(job.id, "stopped") !== undefined
  return {
    id: job.id,
    name: nameOf({ title: job.args.name?.at(-1), firstPrompt: job.prompts[0]?.text ?? "" }),
    state: problem !== undefined ? "failed" : isStopped ? "stopped" : "working",
    background: true,
    cwd: job.cwd,
    branch: "",
    model: job.args.model?.at(-1) ?? "",
    costUsd: 0,
    changedAt: job.createdAt,
    last: oneLine(problem ?? "Starting"),
    questions: [],
  }
}

function listedQuestion(question: Question): ListedQuestion {
  const { id, kind, title, digest } = approvalOf(question)
  return { id, kind, title, digest }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim()
