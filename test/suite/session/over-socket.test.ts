/** A session in one process, held by others: everything a face does crosses a real socket, and places outlive both ends. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "#agent/words/event.ts"
import { version } from "#lib/version.ts"
import { type AttachedSession, attachSession } from "#session/port/attach-session.ts"
import { objectIn } from "#lib/json.ts"
import { openSimulator } from "#sim/server.ts"
import { asScenario, environmentOf, openPlace, type Place } from "../../kit/run-codewright.ts"
import { bash, calls, says, write } from "../../kit/script.ts"

setDefaultTimeout(300_000)

const server = Bun.fileURLToPath(import.meta.resolve("../../kit/serve-session.ts"))

/** A process that holds the session; it is gone when the test is over. */
async function serve(place: Place, url: string, argv: readonly string[] = []) {
  const child = Bun.spawn([process.execPath, server, ...argv], {
    cwd: place.work,
    env: environmentOf(place, url, { CODEWRIGHT_TRUST: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  const ready = objectIn(new TextDecoder().decode(value))
  if (!ready) throw new Error(await child.stderr.text())
  return {
    at: { id: String(ready["id"]), path: String(ready["path"]) },
    pid: child.pid,
    async end(signal: NodeJS.Signals): Promise<void> {
      child.kill(signal)
      await child.exited
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL")
      await child.exited
    },
  }
}

async function reach({ id, path }: { readonly id: string; readonly path: string }): Promise<AttachedSession> {
  for (;;) {
    const attached = await attachSession(path, { id, version })
    if (attached.ok) return attached.value
    // It is offered a moment after the session was opened.
    await Bun.sleep(20)
  }
}

/** Follows into a list, and lets a test wait for what it needs. */
function follow(events: AsyncIterable<Event>) {
  const seen: Event[] = []
  let news = Promise.withResolvers<void>()
  let isOver = false
  const ended = (async () => {
    for await (const event of events) {
      seen.push(event)
      news.resolve()
      news = Promise.withResolvers()
    }
    isOver = true
    news.resolve()
  })()
  return {
    seen,
    ended,
    async until(fits: (event: Event) => boolean): Promise<Event> {
      for (;;) {
        const next = news.promise
        const found = seen.find(fits)
        if (found) return found
        if (isOver) throw new Error("the events ended before that")
        await next
      }
    },
  }
}

const uuids = (events: readonly Event[]): readonly string[] =>
  events.flatMap((event) => (event.type === "entry" ? [event.entry.uuid] : []))

const prompt = (session: AttachedSession, text: string) =>
  session.submit({ type: "prompt", content: [{ type: "text", text }], when: "queue" })

const isAsking = ({ type }: Event): boolean => type === "question_open"
const isEnd = (event: Event): boolean => event.type === "entry" && event.entry.kind === "turn_end"

test("prompt, question, answer, queries, interrupt, and coming back after the client and after the server was killed", async () => {
  using place = openPlace({ "a.txt": "one\n" })
  const simulator = await openSimulator({
    scenario: asScenario([
      calls(write("b.txt", "two\n")),
      says("Written."),
      calls(bash("sleep 86393")),
      calls(write("c.txt", "three\n")),
      says("Written again."),
    ]),
  })
  if (!simulator.ok) throw new Error(simulator.failure.message)
  const { url } = simulator.value
  await using first = await serve(place, url, ["--allowed-tools", "Bash(sleep:*)"])
  const one = await reach(first.at)
  const all = follow(one.events("beginning"))

  expect(await prompt(one, "   ")).toEqual({ ok: false, failure: { kind: "empty_prompt" } })
  expect(await prompt(one, "write b")).toMatchObject({ ok: true })
  await all.until(isAsking)
  const [question] = await one.ask({ type: "questions" })
  expect(question?.ask).toMatchObject({ kind: "permission", tool: "Write" })
  expect(existsSync(join(place.work, "b.txt"))).toBe(false)

  // Another client holds it as well, and answers; the first one sees what came of it.
  const other = await reach(first.at)
  expect(other.id).toBe(one.id)
  const answer = { type: "answer", questionId: question?.id ?? "", answer: { kind: "allow" } } as const
  expect(await other.submit(answer)).toMatchObject({ ok: true })
  expect(await one.submit(answer)).toMatchObject({ ok: false, failure: { kind: "no_such_question" } })
  await all.until(isEnd)
  const { cursor } = await other.ask({ type: "settled" })
  expect(all.seen.some((event) => event.cursor === cursor)).toBe(true)
  expect(await place.read("b.txt")).toBe("two\n")
  expect(await one.ask({ type: "state" })).toMatchObject({ turns: 1, lastEnd: "completed", cwd: place.work })
  expect(await one.ask({ type: "summary" })).toMatchObject({ ok: true, value: { created: ["b.txt"] } })
  expect((await one.ask({ type: "points" })).ok).toBe(true)
  expect(await one.ask({ type: "requests", last: 5 })).toMatchObject({
    total: 2,
    rows: [{ proved: true }, { proved: true }],
  })

  // An interrupt ends the command that runs; whoever gave up waiting is let go.
  const waits = new AbortController()
  await prompt(one, "sleep")
  await all.until((event) => event.type === "tool_start" && event.tool === "Bash")
  const settled = one.ask({ type: "settled" }, waits.signal).catch((error: unknown) => String(error))
  waits.abort()
  expect(await settled).toContain("No longer needed")
  expect(await one.submit({ type: "interrupt" })).toMatchObject({ ok: true })
  await one.ask({ type: "settled" })
  expect(await one.ask({ type: "state" })).toMatchObject({ turns: 2, lastEnd: "aborted" })

  // A client that was cut off comes back after the last thing it saw, a passing moment as well as an entry.
  const seen = follow(other.events("now"))
  // What happens before the other one is heard passes it by, so it first has to see something.
  while (seen.seen.length === 0) {
    await one.submit({ type: "rename", title: "Seen by both" })
    await Bun.sleep(20)
  }
  await prompt(one, "write c")
  const asked = await seen.until(isAsking)
  await other.close()
  await seen.ended
  const again = await reach(first.at)
  const rest = follow(again.events(asked.cursor))

  // The process is killed with the question open. Another one opens the log, and the same places hold.
  await first.end("SIGKILL")
  await rest.ended
  await expect(one.ask({ type: "state" })).rejects.toThrow("is gone")
  const [before] = [await all.ended.then(() => all.seen)]
  await using second = await serve(place, url, ["--resume", one.id])
  const later = await reach(second.at)
  const sinceAsked = follow(later.events(asked.cursor))
  const sinceBeginning = follow(later.events("beginning"))
  const [open] = await waitForQuestion(later)
  expect(open?.ask).toMatchObject({ kind: "permission", tool: "Write" })
  await later.submit({ type: "answer", questionId: open?.id ?? "", answer: { kind: "allow" } })
  await later.ask({ type: "settled" })
  expect(await place.read("c.txt")).toBe("three\n")
  const tail = (await later.ask({ type: "settled" })).cursor
  await Promise.all([
    sinceAsked.until((event) => event.cursor === tail),
    sinceBeginning.until((event) => event.cursor === tail),
  ])

  const whole = uuids(sinceBeginning.seen)
  expect(new Set(whole).size).toBe(whole.length)
  expect(whole.slice(0, uuids(before).length)).toEqual([...uuids(before)])
  const at = whole.indexOf(asked.cursor.split("+")[0] ?? "")
  expect(at).toBeGreaterThan(0)
  expect(uuids(sinceAsked.seen)).toEqual(whole.slice(at + 1))
  await second.end("SIGTERM")
  await simulator.value.close()
})

/** A question that was left open is asked again once the session is open. */
async function waitForQuestion(session: AttachedSession) {
  for (;;) {
    const questions = await session.ask({ type: "questions" })
    if (questions.length > 0) return questions
    await Bun.sleep(10)
  }
}
