/** Members without a model: they pull tasks and mail as members do, and write down what they did. */

import type { TeamStore } from "#agent/words/team.ts"
import { systemClock } from "#lib/clock.ts"
import { openLeases, type Leases } from "#team/leases.ts"
import { nextFor } from "#team/next-work.ts"
import { newcomer, valueOf } from "./conformance.ts"
import { note, notesIn } from "./notes.ts"
import { storeAt } from "./store-at.ts"

export interface Hands {
  readonly path: string
  readonly notes: string
  readonly names: readonly string[]
  readonly everyMs: number
  readonly workMs: number
}

/** Returns when every task is done. */
export async function workAsHands({ path, notes, names, everyMs, workMs }: Hands): Promise<void> {
  const store = await storeAt(path)
  const leases = openLeases({
    board: store.board,
    clock: systemClock,
    everyMs,
    isGone: async () => false,
    noteAbout: ({ owner }) => `${owner} was not heard of`,
    onBack: ({ id }, { owner }) => note(notes, "backs", `${id} ${owner}`),
    onFailure: (error) => {
      throw error
    },
  })
  for (const name of names) valueOf(await store.roster.join({ ...newcomer(name), pid: process.pid }))
  await Promise.all(names.map((name) => workAs(name, store, leases, { notes, workMs })))
  leases.close()
  await store.close()
}

async function workAs(
  name: string,
  store: TeamStore,
  leases: Leases,
  { notes, workMs }: Pick<Hands, "notes" | "workMs">,
): Promise<void> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      const end = store.watch(() => {
        end()
        resolve()
      })
    })
    const next = await nextFor(name, cursorOf(notes, name), store)
    if (next.kind === "mail") {
      // Its own log first, the cursor afterwards: whatever dies in between, each is there once.
      for (const { seq, from, text } of next.mail) note(notes, `log of ${name}`, `${seq} ${from} ${text}`)
      await store.mail.delivered(name, next.mail.at(-1)?.seq ?? 0)
    } else if (next.kind === "task") {
      const { task, lease } = next.claim
      leases.keepAlive(lease)
      note(notes, "begun", `${task.id} ${name}`)
      if (workMs > 0) await Bun.sleep(workMs)
      const done = await store.board.complete(task.id, lease)
      leases.drop(lease)
      if (done.ok) note(notes, "done", `${task.id} ${name}`)
    } else if (next.kind === "open") {
      // It was killed in the middle: whoever comes back under its name gives the task to the next one.
      const claim = (await store.board.claims()).find(({ id }) => id === next.id)
      if (claim) await store.board.takeBack(claim, "begun before a crash")
    } else {
      if ((await store.board.list()).every(({ status }) => status === "completed")) return
      leases.attend()
      await Promise.race([changed, Bun.sleep(500)])
    }
  }
}

const cursorOf = (folder: string, name: string): number =>
  Number(notesIn(folder, `log of ${name}`).at(-1)?.split(" ")[0] ?? 0)
