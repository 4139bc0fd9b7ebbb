/** The files of a turn are counted after its end, and the end waits for them: commands change files too. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { openFileCount } from "#faces/tui/file-count.ts"
import type { ChangedFiles } from "#faces/view/changed.ts"
import { countedFiles, countingFiles } from "#faces/view/count-files.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView, splitFinished } from "#faces/view/view.ts"
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

const diff = (path: string, created: boolean): Event =>
  event({
    kind: "result",
    callId: path,
    tool: "Edit",
    content: "",
    isError: false,
    durationMs: 1,
    display: { kind: "diff", path, created, hunks: [] },
  })

/** The files in the end of a turn with these edits and of which the snapshots tell this. */
async function filesOf(summary: Summary, edits: readonly Event[], kept = true): Promise<ChangedFiles | undefined> {
  let view = emptyView
  const answers = { summary: () => summary }
  const session = openPaperSession({ feed: openFeed(), submit: () => {}, answers })
  const count = openFileCount(session, "/project", {
    begins: () => void (view = countingFiles(view)),
    ends: (files) => void (view = countedFiles(view, files)),
  })
  const snapshot = event({ kind: "snapshot", snapshotId: "s", when: "before", uncovered: [] })
  const end = event({ kind: "turn_end", turnId: "t", reason: "completed" })
  const start = event({ kind: "turn_start", turnId: "t" })
  for (const each of [start, ...(kept ? [snapshot] : []), ...edits, end]) {
    view = reduce(view, each)
    count.onEvent(each, view)
  }
  expect(splitFinished(view).finished.length).toBe(kept ? 0 : 1)
  await Bun.sleep(0)
  const [item] = splitFinished(view).finished
  return item?.kind === "end" ? item.files : undefined
}

const summary = (created: string[], modified: string[], removed: string[]): Summary =>
  ok({ created, modified, removed, text: "" })

test("what commands changed is counted with the edits", async () => {
  const all = summary(["a", "b"], ["c"], ["d"])
  expect(await filesOf(all, [diff("/project/a", true)])).toEqual({
    created: ["a", "b"],
    modified: ["c"],
    removed: ["d"],
  })
})

test("an edit outside the folder counts, though no snapshot knows of it", async () => {
  const edits = [diff("/project/c", false), diff("/elsewhere/x", false)]
  expect(await filesOf(summary([], ["c"], []), edits)).toEqual({
    created: [],
    modified: ["c", "/elsewhere/x"],
    removed: [],
  })
})

test("where it cannot be counted, or need not be, the edits are what is told", async () => {
  const edits = [diff("/project/c", false)]
  const told = { created: [], modified: ["/project/c"], removed: [] }
  expect(await filesOf(failed("gone"), edits)).toEqual(told)
  expect(await filesOf(summary([], [], []), edits, false)).toEqual(told)
})

test("the plan of the session is no change to the project", async () => {
  const named = event({ kind: "plan", change: "named", slug: "p", path: "/plans/p.md" })
  expect(await filesOf(summary([], [], []), [named, diff("/plans/p.md", true)])).toEqual({
    created: [],
    modified: [],
    removed: [],
  })
})
