/** A program that opens a session as the terminal would and does with it what a test wrote down. Started by `driven`. */

import { readFileSync, writeFileSync } from "node:fs"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { startSession } from "#faces/cli/start.ts"
import type { Event } from "#agent/words/event.ts"
import type { Answer, Question } from "#agent/words/question.ts"
import type { Session } from "#session/port/session.ts"
import type { Deed, Moment } from "./driven.ts"
import { overWire } from "./over-wire.ts"

const [file = ""] = process.argv.slice(2)
const { argv, deeds } = JSON.parse(readFileSync(file, "utf8")) as { argv: readonly string[]; deeds: readonly Deed[] }
const args = parseArguments(argv, flags)
if (!args.ok) throw new Error(args.failure.message)
const setting = await readSetting(args.value)
if (!setting.ok) throw new Error(setting.failure.message)
const started = await startSession(args.value, setting.value, "terminal")
if (!started.ok) throw new Error(started.failure.message)
const { close } = started.value
const session = overWire(started.value.session)
let waiting: { readonly fits: (event: Event) => boolean; readonly resolve: () => void } | undefined
const following = follow(session)
for (const deed of deeds) await act(deed)
await close()
await following
process.stdout.write(session.id)

async function act(deed: Deed): Promise<void> {
  if ("write" in deed) return writeFileSync(deed.write, deed.text)
  if ("rewindTo" in deed) {
    const points = await session.ask({ type: "points" })
    const point = points.ok ? points.value[deed.rewindTo - 1] : undefined
    await session.submit({ type: "rewind", promptId: point?.promptId ?? "", what: deed.what })
  } else if ("op" in deed) await session.submit(deed.op)
  else {
    const { until } = deed
    const seen = new Promise<void>((resolve) => {
      waiting = { fits: (event) => until !== undefined && fits(event, until), resolve }
    })
    await session.submit({ type: "prompt", content: [{ type: "text", text: deed.prompt }], when: "queue" })
    if (until) {
      await seen
      await Bun.sleep(deed.afterMs ?? 0)
      if (deed.steer === undefined) await session.submit({ type: "interrupt" })
      else await session.submit({ type: "prompt", content: [{ type: "text", text: deed.steer }], when: "steer" })
    }
  }
  await session.ask({ type: "settled" })
}

function fits(event: Event, until: Moment): boolean {
  if (until === "text") return event.type === "model_delta" && event.delta.type === "text_delta"
  return event.type === until
}

async function follow({ events, submit }: Session): Promise<void> {
  for await (const event of events("beginning")) {
    if (waiting?.fits(event)) waiting.resolve()
    if (event.type !== "question_open") continue
    const answer = answerTo(event.question)
    void submit({ type: "answer", questionId: event.question.id, answer })
  }
}

function answerTo({ ask }: Question): Answer {
  switch (ask.kind) {
    case "permission":
      return { kind: "allow" }
    case "choice":
      return {
        kind: "choices",
        answers: Object.fromEntries(ask.questions.map(({ question, options }) => [question, options[1]?.label ?? ""])),
      }
    case "plan":
      return { kind: "approve", mode: "acceptEdits", wishes: [] }
    case "elicitation":
      return { kind: "elicited", action: "cancel" }
  }
}
