/** `codewright --resume <id> --server`: follows a session of a server in plain lines, and answers what it asks. */

import { createInterface, type Interface } from "node:readline"
import type { Entry } from "#agent/words/entry.ts"
import { textOf } from "#agent/words/message.ts"
import { plainTitle } from "#agent/words/title.ts"
import type { Question } from "#agent/words/question.ts"
import { readAnswer } from "#faces/lines/answer.ts"
import { openFloor } from "#faces/lines/floor.ts"
import { type LineInput, openLineInput } from "#faces/lines/input.ts"
import { openDrawing } from "#faces/view/lines.ts"
import { decodeEntry } from "#ground/transcript/line.ts"
import { systemClock } from "#lib/clock.ts"
import { isObject, type JsonObject, objectIn } from "#lib/json.ts"
import { forConsent, stripControls } from "#lib/printable.ts"
import { wrapWords } from "#lib/wrap-words.ts"
import type { Io } from "#faces/cli/io.ts"
import { openRemote, type Remote } from "./remote.ts"
import { pickRemote } from "./remote-list.ts"
import { answerable, type AnswerCall, answerCall } from "./remote-answer.ts"

/** Events come in bursts; what waits is looked up once after each. */
const quietMs = 150

/** That nobody can take it is no event, so it is looked for. */
const fallbackPollMs = 10_000

export async function watchRemote(prefix: string | undefined, server: string, io: Io): Promise<number> {
  if (prefix === undefined || !/^[\w-]{1,100}$/.test(prefix))
    return io.fail("--server needs --resume <id>. To list sessions: codewright sessions --server <url>")
  const remote = openRemote(server, systemClock)
  if (!remote.ok) return io.fail(remote.failure)
  const picked = await pickRemote(prefix, remote.value)
  if (!picked.ok) return io.fail(picked.failure)
  const sessionId = picked.value
  io.say(
    `Session ${sessionId} on ${remote.value.url}. Type to send a message, /interrupt to interrupt, Ctrl+C to leave.`,
  )
  const left = new AbortController()
  const watch = openRemoteWatch({ remote: remote.value, sessionId, io, left })
  const refused = await remote.value.follow(sessionId, watch.onEvent, left.signal)
  watch.close()
  return refused === undefined ? 0 : io.fail(refused)
}

interface RemoteWatch {
  readonly onEvent: (event: { readonly type: string; readonly data: string }) => void
  readonly close: () => void
}

function openRemoteWatch(parts: {
  readonly remote: Remote
  readonly sessionId: string
  readonly io: Io
  readonly left: AbortController
}): RemoteWatch {
  const { remote, sessionId, io, left } = parts
  const path = `/api/sessions/${sessionId}`
  const floor = openFloor(io.write)
  const drawing = openDrawing(io.columns)
  const questions = new Map<string, Question>()
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  const input = openLineInput({ show: io.write }, (line) => void send(line, { remote, io, path }))
  reader.on("line", input.push)
  reader.on("close", input.end)
  leaveOnSignals(reader, left)

  let asking: { readonly key: string; readonly withdrawn: AbortController } | undefined
  let answered: string | undefined
  let stuck: string | undefined
  let stopTimer = (): void => undefined

  /** Whatever waits now is asked; what does not wait any more is not. */
  async function pollSession(): Promise<void> {
    later(fallbackPollMs)
    const session = await remote.ask("GET", path)
    if (!session.ok) return io.warn(session.failure)
    const now = session.value["stuck"] ?? session.value["queued"]
    if (typeof now === "string" && now !== stuck) floor.print(`${forConsent(now)}\n`)
    stuck = typeof now === "string" ? now : undefined
    const pending = (Array.isArray(session.value["pending"]) ? session.value["pending"] : []).filter(isObject)
    if (asking && !pending.some((each) => keyOf(each) === asking?.key)) asking.withdrawn.abort()
    const next = pending.find((each) => keyOf(each) !== answered)
    if (!asking && next) await put(next)
  }

  async function put(approval: JsonObject): Promise<void> {
    const question = questions.get(String(approval["id"]))
    const withdrawn = new AbortController()
    asking = { key: keyOf(approval), withdrawn }
    const signal = AbortSignal.any([withdrawn.signal, left.signal])
    const call = await floor.quietly(async () => {
      if (!question || question.digest !== approval["digest"]) return askPlainly(approval, { io, input, path, signal })
      const ask = answerable(question.ask, approval)
      io.write(drawing.drawQuestion(ask, question.agent))
      const answer = await readAnswer({ ...question, ask }, { input, clock: systemClock, signal })
      return answer && answerCall(sessionId, question, answer)
    })
    if (withdrawn.signal.aborted) io.write("Somebody else has answered.\n")
    asking = undefined
    if (!call || left.signal.aborted || withdrawn.signal.aborted) return later()
    answered = keyOf(approval)
    if (call.note !== undefined) io.warn(call.note)
    const sent = await remote.ask("POST", call.path, call.body)
    if (!sent.ok) io.warn(sent.failure)
    else if (sent.value["effective"] === false) io.write(`Too late: it was ${String(sent.value["state"])} before.\n`)
    later()
  }

  function later(ms = quietMs): void {
    stopTimer()
    if (!left.signal.aborted) stopTimer = systemClock.after(ms, () => void pollSession())
  }

  const wrapped = (text: string): string => (io.columns() > 0 ? wrapWords(text, io.columns()) : text)

  function draw(entry: Entry): string {
    if (entry.kind === "question") questions.set(entry.question.id, entry.question)
    if (entry.kind === "prompt") return `> ${stripControls(textOf(entry.content)).trimEnd()}\n`
    if (entry.kind === "reply") {
      if (entry.block.type === "text") return `${wrapped(stripControls(entry.block.text).trimEnd())}\n`
      return entry.block.type === "tool_use" ? `* ${forConsent(plainTitle(entry.block))}\n` : ""
    }
    return drawing.draw({ type: "entry", entry })
  }

  return {
    onEvent({ type, data }) {
      const value = objectIn(data)
      const entry = type === "entry" && value ? decodeEntry(value) : undefined
      if (entry) floor.print(draw(entry))
      if (type === "stage" && value) floor.print(`[${forConsent(String(value["stage"])).replaceAll("_", " ")}]\n`)
      later()
    },
    close() {
      stopTimer()
      reader.close()
    },
  }
}

function leaveOnSignals(reader: Interface, left: AbortController): void {
  const leave = (): void => left.abort()
  reader.on("SIGINT", leave)
  process.once("SIGINT", leave)
  process.once("SIGTERM", leave)
}

interface MessageTarget {
  readonly remote: Remote
  readonly io: Io
  /** Of the session. */
  readonly path: string
}

async function send(line: string, { remote, io, path }: MessageTarget): Promise<void> {
  const text = line.trim()
  if (text === "") return
  const sent =
    text === "/interrupt"
      ? await remote.ask("POST", `${path}/interrupt`, {})
      : await remote.ask("POST", `${path}/messages`, { text: line })
  if (!sent.ok) io.warn(sent.failure)
}

interface PlainAsk {
  readonly io: Io
  readonly input: LineInput
  readonly path: string
  readonly signal: AbortSignal
}

/** A question whose details are not in the log that is followed, such as one of an agent. */
async function askPlainly(
  approval: JsonObject,
  { io, input, path, signal }: PlainAsk,
): Promise<AnswerCall | undefined> {
  const { id, digest = "", title, explanation, risks, action } = approval
  const lines = [title, explanation, ...(Array.isArray(risks) ? risks : []), JSON.stringify(action)]
  io.write(`${lines.map((line) => forConsent(String(line))).join("\n")}\n`)
  const words = await input.ask("  yes or no: ", signal)
  if (words === undefined) return undefined
  const decision = /^y(?:es)?$/i.test(words.trim()) ? "allow" : "deny"
  return { path: `${path}/approvals/${String(id)}`, body: { decision, digest } }
}

const keyOf = ({ id, digest }: JsonObject): string => `${String(id)} ${String(digest)}`
