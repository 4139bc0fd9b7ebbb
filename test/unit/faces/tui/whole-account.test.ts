/** What a turn changed by commands is told after its end; what its edits showed is not told twice. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { openWholeAccount } from "#faces/tui/whole-account.ts"
import type { ChangedFiles } from "#faces/view/changed.ts"
import { emptyView } from "#faces/view/view.ts"
import { failed, ok } from "#lib/result.ts"
import { openFeed } from "#session/journal/feed.ts"
import type { Answers } from "#session/port/query.ts"
import { openPaperSession } from "../../../kit/paper-session.ts"

type Summary = Answers["summary"]

const event = (body: EntryBody): Event => ({
  cursor: "u",
  type: "entry",
  entry: { ...body, uuid: "u", parentUuid: null, at: 0 },
})

/** What is told after a turn that showed these files and of which the snapshots tell this. */
async function told(summary: Summary, files: ChangedFiles, kept = true): Promise<readonly string[]> {
  const said: string[] = []
  let asked = 0
  const session = openPaperSession({
    feed: openFeed(),
    submit: () => {},
    answers: {
      summary() {
        asked++
        return summary
      },
    },
  })
  const account = openWholeAccount(session, "/project", (text) => said.push(text))
  const end = {
    kind: "end",
    reason: "completed",
    message: undefined,
    durationMs: 0,
    costUsd: 0,
    outputTokens: 0,
    files,
  } as const
  const view = { ...emptyView, items: [end] }
  account.hear(event({ kind: "turn_start", turnId: "t" }), emptyView)
  if (kept) account.hear(event({ kind: "snapshot", snapshotId: "s", when: "before", uncovered: [] }), emptyView)
  account.hear(event({ kind: "turn_end", turnId: "t", reason: "completed" }), view)
  await Bun.sleep(0)
  expect(asked).toBe(kept ? 1 : 0)
  return said
}

const summary = (created: string[], modified: string[], removed: string[], text: string): Summary =>
  ok({ created, modified, removed, text })

test("told when commands changed more than the edits showed", async () => {
  const all = summary(["a", "b"], ["c"], ["d"], "2 files created, 1 modified, 1 removed")
  expect(await told(all, { created: ["a"], modified: ["c"] })).toEqual([
    "All together 2 files created, 1 modified, 1 removed; /rewind to undo",
  ])
  expect(await told(summary([], [], ["d"], "1 file removed"), { created: [], modified: [] })).toEqual([
    "1 file removed; /rewind to undo",
  ])
})

test("not told when the end of the turn said it, when nothing was kept, or when it cannot be known", async () => {
  const edited = summary([], ["c"], [], "1 file modified")
  expect(await told(edited, { created: ["/plans/p.md"], modified: ["c"] })).toEqual([])
  expect(await told(summary([], [], [], ""), { created: [], modified: [] })).toEqual([])
  expect(await told(failed("gone"), { created: [], modified: [] })).toEqual([])
  expect(await told(edited, { created: [], modified: [] }, false)).toEqual([])
})

test("a file that an edit showed by its whole path is not told again by its short one", async () => {
  const shown = { created: [], modified: ["/project/src/a.ts"] }
  expect(await told(summary([], ["src/a.ts"], [], "1 file modified"), shown)).toEqual([])
})
