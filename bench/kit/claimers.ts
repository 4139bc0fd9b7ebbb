/** Workers of one process that claim and finish tasks as fast as they can. Run as a program: "team" or "lock", the file, names. Prints how long each claim took. */

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from "node:fs"
import { openTeamStore } from "../../src/ground/team/store.ts"
import { systemClock } from "../../src/lib/clock.ts"

/** Gives what finishes the task it claimed, or nothing if there is none left. */
type Claim = (worker: string) => Promise<(() => Promise<unknown>) | undefined>

interface BareTask {
  readonly id: number
  readonly subject: string
  status: "pending" | "in_progress" | "completed"
  owner?: string
}

/** The task list that the bare lock guards. */
export const writeBareTasks = (path: string, count: number): void =>
  writeFileSync(
    path,
    JSON.stringify(
      Array.from({ length: count }, (_, i): BareTask => ({ id: i + 1, subject: `task ${i + 1}`, status: "pending" })),
    ),
  )

if (import.meta.main) await main()

async function main(): Promise<void> {
  const [kind, path = "", names = ""] = process.argv.slice(2)
  const claim = kind === "team" ? await teamClaims(path) : lockClaims(path)
  process.stdout.write("ready\n")
  await process.stdin[Symbol.asyncIterator]().next()
  const took: number[] = []
  await Promise.all(
    names.split(",").map(async (name) => {
      for (;;) {
        const start = performance.now()
        const finish = await claim(name)
        took.push(performance.now() - start)
        if (!finish) return
        await finish()
        // Others of this process get their turn, as between the steps of members.
        await Bun.sleep(0)
      }
    }),
  )
  process.stdout.write(`${JSON.stringify(took)}\n`)
  process.exit(0)
}

async function teamClaims(path: string): Promise<Claim> {
  const { board } = await openTeamStore({ path, about: { name: "crew", lead: "lead" }, clock: systemClock })
  return async (worker) => {
    const claimed = await board.claim(worker)
    if (!claimed.ok) return undefined
    const { task, lease } = claimed.value
    return () => board.complete(task.id, lease)
  }
}

/** One file of tasks, replaced under a lock that is a file made exclusively. A holder that dies leaves it for ever. */
function lockClaims(path: string): Claim {
  async function locked<T>(work: (tasks: BareTask[]) => T): Promise<T> {
    const lock = `${path}.lock`
    for (;;) {
      try {
        closeSync(openSync(lock, "wx"))
        break
      } catch {
        await Bun.sleep(1)
      }
    }
    const tasks = JSON.parse(readFileSync(path, "utf8")) as BareTask[]
    const result = work(tasks)
    const next = openSync(`${path}.next`, "w")
    writeSync(next, JSON.stringify(tasks))
    fsyncSync(next)
    closeSync(next)
    renameSync(`${path}.next`, path)
    rmSync(lock)
    return result
  }
  return async (worker) => {
    const id = await locked((tasks) => {
      const task = tasks.find(({ status }) => status === "pending")
      if (task) Object.assign(task, { status: "in_progress", owner: worker })
      return task?.id
    })
    if (id === undefined) return undefined
    return () =>
      locked((tasks) => {
        const task = tasks[id - 1]
        if (task) task.status = "completed"
      })
  }
}
