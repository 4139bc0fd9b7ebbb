/** A graph of tasks as rows: each below the last of what it waits for, and folded where there are too many. */

import type { TaskStatus, TeamTask } from "#agent/words/team.ts"

export type GraphRow =
  | {
      readonly kind: "task"
      readonly task: TeamTask
      /** The lines that lead to it, for before its text. */
      readonly branch: string
      /** Open tasks that must be completed first. */
      readonly waitsFor: readonly string[]
    }
  /** Stands for tasks that are not shown. */
  | { readonly kind: "folded"; readonly status: TaskStatus; readonly count: number }

/** Deeper ones are drawn below one another: what they wait for is written beside them. */
const mostDepth = 5

/** At most so many tasks: those under way first, then what can begin, then what waits. */
export function taskGraph(tasks: readonly TeamTask[], most: number): readonly GraphRow[] {
  const open = new Set(tasks.filter(isOpen).map(({ id }) => id))
  const waitsFor = ({ blockedBy }: TeamTask): readonly string[] => blockedBy.filter((id) => open.has(id))
  if (tasks.length <= most) return drawn(tasks, waitsFor)
  const kept = new Set(
    tasks
      .filter(isOpen)
      .toSorted((a, b) => urgency(a, waitsFor(a)) - urgency(b, waitsFor(b)))
      .slice(0, most),
  )
  const folded = (status: TaskStatus): readonly GraphRow[] => {
    const count = tasks.filter((task) => task.status === status && !kept.has(task)).length
    return count === 0 ? [] : [{ kind: "folded", status, count }]
  }
  const shown = tasks.filter((task) => kept.has(task))
  return [...folded("completed"), ...drawn(shown, waitsFor), ...folded("in_progress"), ...folded("pending")]
}

const isOpen = ({ status }: TeamTask): boolean => status === "pending" || status === "in_progress"

const urgency = ({ status }: TeamTask, waits: readonly string[]): number =>
  status === "in_progress" ? 0 : waits.length === 0 ? 1 : 2

function drawn(
  tasks: readonly TeamTask[],
  waitsFor: (task: TeamTask) => readonly string[],
): readonly (GraphRow & { readonly kind: "task" })[] {
  const below = Map.groupBy(tasks, parentIn(tasks))
  function rowsOf(
    task: TeamTask,
    branch: string,
    under: string,
    depth: number,
  ): readonly (GraphRow & { kind: "task" })[] {
    const own = below.get(task.id) ?? []
    return [
      { kind: "task", task, branch, waitsFor: waitsFor(task) },
      ...own.flatMap((child, i) => {
        const isLast = i === own.length - 1
        if (depth >= mostDepth) return rowsOf(child, `${under}${isLast ? "└ " : "├ "}`, under, depth)
        return rowsOf(child, `${under}${isLast ? "└ " : "├ "}`, `${under}${isLast ? "  " : "│ "}`, depth + 1)
      }),
    ]
  }
  return (below.get(undefined) ?? []).flatMap((task) => rowsOf(task, "", "", 0))
}

/** Of those it waits for, the one that is itself furthest from the beginning. */
function parentIn(tasks: readonly TeamTask[]): (task: TeamTask) => string | undefined {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const shownBlockers = ({ blockedBy }: TeamTask): readonly TeamTask[] => blockedBy.flatMap((id) => byId.get(id) ?? [])
  const depths = new Map<string, number>()
  const depthOf = (task: TeamTask): number => {
    const known = depths.get(task.id)
    if (known !== undefined) return known
    const depth = Math.max(-1, ...shownBlockers(task).map(depthOf)) + 1
    depths.set(task.id, depth)
    return depth
  }
  return (task) => shownBlockers(task).toSorted((a, b) => depthOf(b) - depthOf(a))[0]?.id
}
