/** Sessions that need no model: each makes three notes, and says before each one that it will. */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { noUsage } from "#agent/words/model.ts"
import type { OpenFleetSession } from "#fleet/work/opening.ts"
import type { Workplaces } from "#fleet/work/workplace.ts"
import { failed, ok } from "#lib/result.ts"
import type { Session } from "#session/port/session.ts"

const noteCount = 3

const finished = {
  ask: async ({ type }: { readonly type: string }) => answers[type],
  submit: async () => ok(undefined),
  async *events() {},
} as unknown as Session

const answers: { readonly [type: string]: unknown } = {
  turn: [{ kind: "turn_end", turnId: "t", reason: "completed" }],
  questions: [],
  team: null,
  background: [],
  agents: [],
  settled: null,
  gates: [],
  stage: { stage: "completed", pending: [], result: { ok: true, text: "Done." } },
  state: { mode: "default", model: "sim", costUsd: 0.01, usage: noUsage },
}

/** Whoever said that it would and was killed may have made the note or not: the file says which, because nobody else has the session. */
export const noteMaker =
  (notes: string): OpenFleetSession =>
  async ({ record, log, copy, sessionLogs }) => {
    const path = sessionLogs.logPath(record.id)
    const before = log.kind === "resume" && existsSync(log.path) ? readFileSync(log.path, "utf8") : ""
    const file = join(notes, record.id)
    const has = (line: string): boolean => existsSync(file) && readFileSync(file, "utf8").split("\n").includes(line)
    for (let nth = 1; nth <= noteCount; nth++) {
      if (before.includes(`"made ${nth}"`)) continue
      if (!before.includes(`"makes ${nth}"`)) copy.add(path, JSON.stringify({ note: `makes ${nth}` }))
      const arrived = await copy.arrived()
      if (!arrived.ok) return failed(arrived.failure)
      if (!has(`${nth}`)) appendFileSync(file, `${nth}\n`)
      copy.add(path, JSON.stringify({ note: `made ${nth}` }))
    }
    return ok({ session: finished, close: async () => undefined } as never)
  }

/** A folder for each session, and nothing in it. */
export const plainWorkplaces = (own: string): Workplaces => ({
  async prepare(_record, { sessionId }) {
    const folder = join(own, sessionId)
    mkdirSync(folder, { recursive: true })
    return ok({
      cwd: folder,
      plans: folder,
      worktrees: folder,
      folder,
      notes: [],
      reads: [],
      isBehind: () => false,
      keep: async () => undefined,
      publish: async () => ok(undefined),
    })
  },
})
