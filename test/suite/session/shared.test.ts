/** Two faces in other processes' place, over a real socket: both see the same questions, and each is answered exactly once. */

import { expect, setDefaultTimeout, test } from "bun:test"
import fc from "fast-check"
import type { Event } from "#agent/words/event.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import { isOwnPeer } from "#ground/workspace/processes/socket-peer.ts"
import { ok } from "#lib/result.ts"
import { attachSession } from "#session/port/attach-session.ts"
import { continuedSession } from "#session/port/continued-session.ts"
import { offerSession } from "#session/port/offer-session.ts"
import type { SessionPort } from "#session/port/session.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { runs } from "../../kit/runs.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { temporaryFolder } from "../../kit/tmp.ts"

setDefaultTimeout(100_000)

interface Wish {
  readonly allow: boolean
  /** In milliseconds; nobody answers faster than they read. */
  readonly after: number
}

const wish = fc.record({ allow: fc.boolean(), after: fc.nat({ max: 3 }) })

/** Answers each question as it opens, and remembers what it saw and which of its answers counted. */
function follow(session: SessionPort, wishes: readonly Wish[]) {
  const seen: string[] = []
  const open = new Set<string>()
  const counted = new Map<string, Answer["kind"]>()
  async function answer(questionId: string, digest: string, { allow, after }: Wish): Promise<void> {
    await Bun.sleep(after)
    const said: Answer = allow ? { kind: "allow" } : { kind: "deny", words: "no", interrupt: false }
    const done = await session.submit({ type: "answer", questionId, answer: said, digest })
    if (done.ok) counted.set(questionId, said.kind)
    else expect(done.failure.kind).toBe("no_such_question")
  }
  async function read(): Promise<void> {
    for await (const event of session.events("beginning")) {
      if (event.type === "question_close") open.delete(event.questionId)
      if (event.type !== "question_open") continue
      const { id, digest } = event.question
      const own = wishes[seen.length]
      seen.push(id)
      open.add(id)
      if (own) void answer(id, digest, own)
    }
  }
  return { seen, open, counted, ended: read() }
}

test("each question is seen by both, and answered once by one of them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(wish, wish), { minLength: 1, maxLength: 5 }), async (pairs) => {
      using folder = temporaryFolder()
      await using t = await openTestSession({
        script: [...pairs.map((_, i) => calls(bash(`echo ${i} >> log.txt`))), says("Done."), says("Done.")],
        answers: () => undefined,
        allow: [],
        mode: "default",
      })
      const path = folder.join("socket")
      const offered = offerSession({ session: t.session, path, version: "1", pid: process.pid, isWelcome: isOwnPeer })
      if (!offered.ok) throw new Error(offered.failure)
      const attach = async () => {
        const attached = await attachSession(path, { id: t.id, version: "1" })
        if (!attached.ok) throw new Error(attached.failure.kind)
        return attached.value
      }
      const [one, other] = await Promise.all([attach(), attach()])
      const faces = [
        follow(
          one,
          pairs.map(([wished]) => wished),
        ),
        follow(
          other,
          pairs.map(([, wished]) => wished),
        ),
      ] as const
      await one.submit({ type: "prompt", content: [{ type: "text", text: "go" }], when: "queue" })
      await other.ask({ type: "settled" })
      await Promise.all([one.ask({ type: "settled" }), other.ask({ type: "settled" })])
      await t.session.close()
      await Promise.all(faces.map(({ ended }) => ended))

      const answers = t.entries().flatMap((entry) => (entry.kind === "answer" ? [entry] : []))
      expect(faces[0].seen).toEqual(faces[1].seen)
      expect(answers.map(({ questionId }) => questionId)).toEqual(faces[0].seen)
      for (const { questionId, answer } of answers) {
        const counted = faces.flatMap((face) => face.counted.get(questionId) ?? [])
        expect(counted).toEqual([answer.kind])
      }
      const ran = answers.filter(({ answer }) => answer.kind === "allow").length
      const written = ran === 0 ? "" : t.read("log.txt")
      expect(written.split("\n").filter((line) => line !== "")).toHaveLength(ran)
      expect([...faces[0].open, ...faces[1].open]).toEqual([])
      offered.value.stop()
    }),
    runs(8),
  )
})

test("another version is not understood, and a peer that is not welcome gets nothing", async () => {
  using folder = temporaryFolder()
  await using t = await openTestSession({ script: [says("Hello.")] })
  const offer = (path: string, isWelcome: (fd: number) => boolean) => {
    const offered = offerSession({ session: t.session, path, version: "1", pid: 7, isWelcome })
    if (!offered.ok) throw new Error(offered.failure)
    return offered.value
  }
  const own = offer(folder.join("own"), isOwnPeer)
  const closed = offer(folder.join("closed"), () => false)
  const other = await attachSession(folder.join("own"), { id: t.id, version: "2" })
  expect(other).toEqual({ ok: false, failure: { kind: "other_version", pid: 7, version: "1" } })
  const wrong = await attachSession(folder.join("own"), { id: "another", version: "1" })
  expect(wrong).toEqual({ ok: false, failure: { kind: "unreachable" } })
  const refused = await attachSession(folder.join("closed"), { id: t.id, version: "1" })
  expect(refused).toEqual({ ok: false, failure: { kind: "unreachable" } })
  own.stop()
  closed.stop()
  expect(await attachSession(folder.join("own"), { id: t.id, version: "1" })).toMatchObject({ ok: false })
})

test("a program that this process has started is not let in", async () => {
  using folder = temporaryFolder()
  await using t = await openTestSession({ script: [says("Hello.")] })
  const path = folder.join("socket")
  const offered = offerSession({ session: t.session, path, version: "1", pid: process.pid, isWelcome: isOwnPeer })
  if (!offered.ok) throw new Error(offered.failure)
  const script = `
    let text = ""
    const end = () => { console.log("closed:" + text); process.exit() }
    const socket = { data(_, bytes) { text += bytes }, close: end }
    await Bun.connect({ unix: ${JSON.stringify(path)}, socket }).catch(end)`
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" })
  expect(await child.stdout.text()).toBe("closed:\n")
  offered.value.stop()
})

test("its process closes it with a question open: it is opened again, events go on, and an answer given at once counts once", async () => {
  using folder = temporaryFolder()
  await using t = await openTestSession({
    script: [calls(bash("echo x >> log.txt")), says("Done.")],
    answers: () => undefined,
    allow: [],
    mode: "default",
  })
  const path = folder.join("socket")
  const offered = offerSession({ session: t.session, path, version: "1", pid: process.pid, isWelcome: isOwnPeer })
  const attached = await attachSession(path, { id: t.id, version: "1" })
  if (!offered.ok || !attached.ok) throw new Error("not reached")
  let again: TestSession | undefined
  const session = continuedSession({
    attached: attached.value,
    pause: () => Bun.sleep(5),
    reopen: async () => ok((again = await t.reopen()).session),
  })
  const events: Event[] = []
  const asked = Promise.withResolvers<Question>()
  const read = (async () => {
    for await (const event of session.events("beginning")) {
      events.push(event)
      if (event.type === "question_open") asked.resolve(event.question)
    }
  })()
  await session.submit({ type: "prompt", content: [{ type: "text", text: "go" }], when: "queue" })
  const { id, digest } = await asked.promise
  offered.value.stop()
  await t.session.close()
  const answer = { type: "answer", questionId: id, answer: { kind: "allow" }, digest } as const
  const done = await Promise.all([session.submit(answer), session.submit(answer)])
  expect(done.filter((one) => one.ok)).toHaveLength(1)
  await session.ask({ type: "settled" })
  await session.close()
  await read
  expect(t.read("log.txt")).toBe("x\n")
  const uuids = events.flatMap((event) => (event.type === "entry" ? [event.entry.uuid] : []))
  expect(uuids).toEqual(t.entries().map(({ uuid }) => uuid))
  const opened = events.flatMap((event) => (event.type === "question_open" ? [event.question.id] : []))
  expect(new Set(opened)).toEqual(new Set([id]))
  await again?.[Symbol.asyncDispose]()
})
