/** Messages between the sessions of one user: the mail of a team that each of them is in. Its file is opened only while it is used. */

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Letter, Mail, MailFailure, Posted, TeamStore } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"
import { statsOf } from "#lib/quietly.ts"
import { ok, type Result } from "#lib/result.ts"
import { watchFolder } from "#lib/state-file.ts"

export interface SessionMailbox {
  /** Another value whenever something was written; empty if nothing ever was. */
  readonly stamp: () => string
  /** Once for each call id. `from` and `to` are ids of sessions. */
  readonly send: (letter: Omit<Letter, "key">, callId: string) => Promise<Result<Posted | undefined, MailFailure>>
  /** What came of a call that was begun before. */
  readonly sent: (from: string, callId: string) => Promise<Posted | undefined>
  /** Calls back when somebody has written to the session. Returns what ends it. */
  readonly watch: (id: string, heard: () => void) => () => void
  /** `cursor`: the last message in the session's own log. */
  readonly read: (id: string, cursor: number) => Promise<ReadMail>
}

export interface ReadMail {
  readonly unread: readonly Mail[]
  /** Read, and their sender was not told what became of them. */
  readonly owed: readonly Mail[]
  /** The last one that was read, also where the log no longer shows it. */
  readonly cursor: number
}

/** A message from the command line; nobody there waits for an answer. */
export const shellSender = "shell"

/** The call under which a session reports what became of a message. */
export const reportCall = (seq: number): string => `report ${seq}`

/** A file for each session, beside the store: whoever opens that writes files, and would wake everybody. */
const bellsOf = (stateFolder: string): string => join(stateFolder, "messages", "bells")

/** Tells a session that is open in another process that it has mail. */
export function ringBell(stateFolder: string, id: string): void {
  const folder = bellsOf(stateFolder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, id), "", { mode: 0o600 })
}

export function openSessionMailbox(stateFolder: string, clock: Clock): SessionMailbox {
  const path = join(stateFolder, "messages", "messages.db")

  async function using<T>(use: (store: TeamStore) => Promise<T>): Promise<T> {
    const { openTeamStore } = await import("#ground/team/store.ts")
    // Nobody leaves this team, so nobody leads it either.
    const store = await openTeamStore({ path, about: { name: "sessions", lead: "nobody" }, clock })
    try {
      return await use(store)
    } finally {
      await store.close()
    }
  }

  return {
    stamp: () => `${stampOf(path)}${stampOf(`${path}-wal`)}`,
    send: (letter, callId) =>
      using(async ({ mail, roster }) => {
        for (const id of [letter.from, letter.to])
          await roster.join({ name: id, sessionId: id, pid: 0, start: "", host: "" })
        const posted = await mail.send({ ...letter, key: callId }, { caller: letter.from, id: callId })
        return posted.ok ? ok(posted.value[0]) : posted
      }),
    async sent(from, id) {
      if (stampOf(path) === "") return undefined
      return using(async ({ callRecord }) => (await callRecord({ caller: from, id })).send?.[0])
    },
    watch(id, heard) {
      const folder = bellsOf(stateFolder)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const bell = join(folder, id)
      let rung = stampOf(bell)
      return watchFolder(folder, (name) => {
        const before = rung
        rung = stampOf(bell)
        if (name === id || rung !== before) heard()
      }).close
    },
    read: (id, cursor) =>
      using(async ({ mail, callRecord }) => {
        const all = await mail.after(id, 0)
        const isRead = ({ seq, deliveredAt }: Mail): boolean => seq <= cursor || deliveredAt !== undefined
        if (all.some((one) => one.seq <= cursor && one.deliveredAt === undefined)) await mail.delivered(id, cursor)
        const owed: Mail[] = []
        for (const one of all) {
          const isOwed = isRead(one) && one.type === "message" && one.note === undefined && one.from !== shellSender
          if (isOwed && !(await callRecord({ caller: id, id: reportCall(one.seq) })).send) owed.push(one)
        }
        const read = Math.max(cursor, ...all.filter(isRead).map(({ seq }) => seq))
        return { unread: all.filter((one) => !isRead(one)), owed, cursor: read }
      }),
  }
}

function stampOf(path: string): string {
  const found = statsOf(path)
  return found ? `${found.mtimeMs}/${found.size} ` : ""
}
