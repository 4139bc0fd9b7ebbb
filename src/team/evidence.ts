/** What shows that a task was done: the commits, files and last command of whoever worked on it, as its log has them. */

import type { Entry } from "#agent/words/entry.ts"
import type { Board, Mail } from "#agent/words/team.ts"
import { completionOf } from "#agent/words/team.ts"
import { counted } from "#lib/figures.ts"
import { firstLine } from "#lib/rows.ts"
import { taskName } from "./member-words.ts"

const mostNamed = 5
const mostOfCommand = 100

export interface EvidenceFollower {
  readonly onEntry: (entry: Entry) => void
  /** Undefined if nothing was done since the last task was given. */
  readonly text: () => string | undefined
}

export function followEvidence(): EvidenceFollower {
  let files = new Set<string>()
  let commits: string[] = []
  let command: string | undefined
  return {
    onEntry(entry) {
      if (entry.kind === "attachment" && entry.name === taskName) {
        files = new Set()
        commits = []
        command = undefined
      }
      if (entry.kind !== "result") return
      const { display } = entry
      if (display?.kind === "diff") files.add(display.path)
      if (display?.kind === "diffs") for (const { path } of display.files) files.add(path)
      if (display?.kind !== "terminal") return
      command = `${clipped(display.command)} (${display.exitCode === null ? "did not end" : `exit code ${display.exitCode}`})`
      // As git says it: `[branch 1a2b3c4] Subject`.
      for (const [, hash, subject] of display.output.matchAll(/^\[[^\]\n]* ([0-9a-f]{7,40})\] (.+)$/gm))
        commits.push(`${hash} ${subject}`)
    },
    text() {
      const parts = [
        ...(commits.length === 0 ? [] : [`${counted(commits.length, "commit")}: ${named(commits)}`]),
        ...(files.size === 0 ? [] : [`${counted(files.size, "file")}: ${named([...files])}`]),
        ...(command === undefined ? [] : [`last command: ${command}`]),
      ]
      return parts.length === 0 ? undefined : parts.join("; ")
    },
  }
}

/** Adds to notices of completed tasks what shows that they were done. */
export function openEvidence(board: Pick<Board, "get">): {
  readonly read: (unread: readonly Mail[]) => Promise<void>
  readonly noted: (unread: readonly Mail[]) => readonly Mail[]
} {
  const known = new Map<string, string>()
  return {
    async read(unread) {
      for (const id of unread.flatMap((mail) => completionOf(mail)?.id ?? []).slice(0, mostRead)) {
        if (known.has(id)) continue
        const evidence = (await board.get(id))?.metadata.evidence
        known.set(id, typeof evidence === "string" ? evidence : "")
      }
    },
    noted: (unread) =>
      unread.map((mail) => {
        const evidence = known.get(completionOf(mail)?.id ?? "") ?? ""
        return evidence === ""
          ? mail
          : { ...mail, note: [`Evidence: ${evidence}.`, mail.note].filter(Boolean).join("\n") }
      }),
  }
}

/** More are folded, and TaskGet shows each. */
const mostRead = 6

const clipped = (text: string): string => {
  const line = firstLine(text)
  return line.length > mostOfCommand ? `${line.slice(0, mostOfCommand)}…` : line
}

const named = (all: readonly string[]): string =>
  [...all.slice(0, mostNamed), ...(all.length > mostNamed ? [`and ${all.length - mostNamed} more`] : [])].join(", ")
