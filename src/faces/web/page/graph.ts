/** Where the tasks of a team stand in a picture: to the right of all they wait for. */

import type { ShownTask } from "./contract.ts"

export interface PlacedTask {
  readonly task: ShownTask
  readonly column: number
  readonly row: number
}

/** Tasks that wait for each other in a circle stand where they are met first. */
export function placed(tasks: readonly ShownTask[]): readonly PlacedTask[] {
  const byId = new Map(tasks.map((task) => [task.id, task]))
  const columns = new Map<string, number>()
  const columnOf = (id: string, above: ReadonlySet<string>): number => {
    const known = columns.get(id)
    if (known !== undefined) return known
    const before = (byId.get(id)?.blockedBy ?? []).filter((each) => byId.has(each) && !above.has(each))
    const within = new Set(above).add(id)
    const column = Math.max(-1, ...before.map((each) => columnOf(each, within))) + 1
    columns.set(id, column)
    return column
  }
  const filled = new Map<number, number>()
  return tasks.map((task) => {
    const column = columnOf(task.id, new Set())
    const row = filled.get(column) ?? 0
    filled.set(column, row + 1)
    return { task, column, row }
  })
}
