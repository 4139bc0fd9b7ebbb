/** Many may watch one session: each sees everything once and in order, and none holds it up. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "#agent/words/event.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView } from "#faces/view/view.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says } from "../../kit/script.ts"

const script = [calls(read("a.txt"), read("b.txt")), calls({ text: "Again." }, read("a.txt")), says("Done.")]
const files = { "a.txt": "a\n", "b.txt": "b\n" }

async function watch(events: AsyncIterable<Event>, each: () => Promise<void> = async () => {}): Promise<Event[]> {
  const seen: Event[] = []
  for await (const event of events) {
    seen.push(event)
    await each()
  }
  return seen
}

const cursors = (events: readonly Event[]): string[] => events.map(({ cursor }) => cursor)
const uuids = (events: readonly Event[]): string[] =>
  events.flatMap((event) => (event.type === "entry" ? [event.entry.uuid] : []))

test("everything comes once, in order, to whoever watches from the beginning", async () => {
  await using t = await openTestSession({ script, files })
  const first = watch(t.session.events("beginning"))
  const second = watch(t.session.events("beginning"))
  await t.prompt("look")
  await t.session.close()
  const [one, two] = await Promise.all([first, second])
  expect(two).toEqual(one)
  expect(new Set(cursors(one)).size).toBe(one.length)
  expect(uuids(one)).toEqual(t.entries().map(({ uuid }) => uuid))
})

test("whoever comes late gets every entry after the place, and all that follows", async () => {
  await using t = await openTestSession({ script: [...script, says("And more.")], files })
  const all = watch(t.session.events("beginning"))
  await t.prompt("look")
  const late = watch(t.session.events("beginning"))
  const half = (await t.until((event) => event.type === "entry" && event.entry.kind === "result")).cursor
  const later = watch(t.session.events(half))
  await t.prompt("more")
  await t.session.close()
  const everything = await all
  expect(uuids(await late)).toEqual(uuids(everything))
  expect(uuids(await later)).toEqual(uuids(everything).slice(uuids(everything).indexOf(half) + 1))
  expect(new Set(cursors(await later)).size).toBe((await later).length)
})

test("whoever watches a closed session gets its entries and the end", async () => {
  await using t = await openTestSession({ script, files })
  await t.prompt("look")
  await t.session.close()
  expect(uuids(await watch(t.session.events("beginning")))).toEqual(t.entries().map(({ uuid }) => uuid))
})

test("a watcher that never comes back does not hold up the agent or the others", async () => {
  await using t = await openTestSession({ script, files })
  const stuck = t.session.events("beginning")[Symbol.asyncIterator]()
  await stuck.next()
  const slow = watch(t.session.events("beginning"), () => Bun.sleep(1))
  expect(await t.prompt("look")).toEqual({ reason: "completed" })
  await t.session.close()
  expect(uuids(await slow)).toEqual(t.entries().map(({ uuid }) => uuid))
  const rest = []
  for (let next = await stuck.next(); !next.done; next = await stuck.next()) rest.push(next.value)
  expect(uuids(rest)).toEqual(uuids(await slow).slice(1))
})

test("a watcher may leave, and the session goes on without it", async () => {
  await using t = await openTestSession({ script, files })
  t.say("look")
  for await (const event of t.session.events("beginning")) if (event.type === "model_delta") break
  await t.settled()
  expect(t.story().at(-1)).toBe("turn_end completed")
})

test("a question that no call waits for is still asked when the turn is over", async () => {
  await using t = await openTestSession({
    files: { "AGENTS.md": "@../outside.md and more" },
    place: { trusted: true },
    answers: () => undefined,
    script: [says("One."), says("Two.")],
  })
  writeFileSync(join(t.root, "../outside.md"), "From outside.")
  let view = emptyView
  const drawn = new Set<string>()
  void (async () => {
    for await (const event of t.session.events("beginning")) {
      view = reduce(view, event)
      drawn.add(event.cursor)
    }
  })()
  /** Whoever watches may be behind whoever asked: until it has drawn what the other has seen. */
  const untilDrawn = async (is: (event: Event) => boolean): Promise<void> => {
    const { cursor } = await t.until(is)
    while (!drawn.has(cursor)) await Bun.sleep(1)
  }
  const ends = (turn: number): ((event: Event) => boolean) => {
    let seen = 0
    return (event) => event.type === "entry" && event.entry.kind === "turn_end" && ++seen === turn
  }
  await t.prompt("hello")
  await untilDrawn((event) => event.type === "question_open")
  await untilDrawn(ends(1))
  expect(view.working).toBeUndefined()
  expect(view.questions.map(({ id }) => id)).toEqual((await t.ask({ type: "questions" })).map(({ id }) => id))
  const [question] = view.questions
  if (question?.ask.kind !== "choice") throw new Error("nothing was asked")
  const [{ question: words = "", options = [] } = {}] = question.ask.questions
  const answer = { kind: "choices", answers: { [words]: options[0]?.label ?? "" } } as const
  expect((await t.session.submit({ type: "answer", questionId: question.id, answer })).ok).toBe(true)
  await t.until((event) => event.type === "question_close")
  await t.prompt("more")
  await untilDrawn(ends(2))
  expect(view.questions).toEqual([])
  expect(JSON.stringify(t.requests()[1])).toContain("From outside.")
})
