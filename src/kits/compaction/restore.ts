/** What is shown again after a compaction: recently used files, the task list, the plan, and running tasks. */

import { escapeImitations } from "#agent/words/reminder.ts"
import type { Todo } from "#agent/words/todo.ts"
import type { Files } from "#ground/workspace/files.ts"
import type { Paths } from "#ground/workspace/paths.ts"
import type { Stamps } from "#ground/workspace/stamps.ts"
import { decode } from "#ground/workspace/text.ts"
import { estimateTokens } from "#lib/tokens.ts"

export interface FilesGround {
  readonly files: Pick<Files, "read">
  readonly stamps: Stamps
  readonly paths: Pick<Paths, "show">
}

export interface PlanFile {
  readonly path: string
  readonly isApproved: boolean
}

export interface RecentFile {
  readonly real: string
  readonly path: string
  readonly text: string
}

const mostFiles = 5
const largest = 1_000_000

export async function recentFiles(
  { files, stamps, paths }: FilesGround,
  signal: AbortSignal,
): Promise<readonly RecentFile[]> {
  const known = stamps.entries().filter(([, stamp]) => stamp.text !== undefined)
  const recent: RecentFile[] = []
  for (const [real] of known.toReversed()) {
    if (recent.length === mostFiles || signal.aborted) break
    const content = await files.read(real, largest, signal)
    const decoded = content.ok ? decode(content.value.bytes) : undefined
    if (decoded?.ok) recent.push({ real, path: paths.show(real), text: decoded.value.text })
  }
  return recent
}

/** As many whole lines of a file as fit. */
export function fileWords({ path, text }: RecentFile, mostTokens: number): string {
  const shown = beginningOf(text, mostTokens * 4)
  const rest = shown.length < text.length ? "\n[The rest is left out; Read it if it is needed.]" : ""
  return escapeImitations(`${path}, as it is on disk now:\n${shown}${rest}`)
}

function beginningOf(text: string, most: number): string {
  if (text.length <= most) return text
  const end = text.lastIndexOf("\n", most)
  return text.slice(0, end > 0 ? end : most).toWellFormed()
}

export function todoWords(todos: readonly Todo[]): string | undefined {
  if (todos.length === 0) return undefined
  const lines = todos.map(({ content, status }, index) => `${index + 1}. [${status}] ${content}`)
  return escapeImitations(`Your list of work (TodoWrite), as it stands:\n${lines.join("\n")}`)
}

/** Plans are short; a longer one is only named, so that it can be read. */
const mostPlanTokens = 10_000

export function planWords(path: string, text: string, isApproved: boolean): string {
  const head = `The plan in ${path}${isApproved ? ", which the user approved" : ", not approved so far"}:`
  if (estimateTokens(text) <= mostPlanTokens) return escapeImitations(`${head}\n${text}`)
  return escapeImitations(`${head}\n${beginningOf(text, mostPlanTokens * 4)}\n[The rest is in the file; Read it.]`)
}

export interface RunningTask {
  readonly id: string
  readonly what: string
}

export function runningWords(tasks: readonly RunningTask[]): string | undefined {
  if (tasks.length === 0) return undefined
  return escapeImitations(
    `Still running in the background:\n${tasks.map(({ id, what }) => `- ${id}: ${what}`).join("\n")}`,
  )
}
