/** Plans and questions that are answered by a link from a message, with processes that are killed between the answer and its effect. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import type { JsonObject } from "#lib/json.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import type { FaultPoint } from "../../kit/fleet/fault-points.ts"
import {
  lastText,
  no,
  noteFile,
  noteTaker,
  plannedPrompt,
  question,
  questionPrompt,
  unknownText,
  yes,
} from "../../kit/fleet/note-taker.ts"
import { openTrialFleet, type TrialFleet } from "../../kit/fleet/trial-fleet.ts"
import { openTurns } from "../../kit/turns.ts"

/** `link`: when it is used; `session`: when something is done in the session afterwards. */
const faults: readonly { readonly of: "link" | "session"; readonly point: FaultPoint }[] = [
  { of: "link", point: { by: "server", use: "decisionLinks.use", when: "before", nth: 1 } },
  { of: "link", point: { by: "server", use: "decisionLinks.use", when: "after", nth: 1 } },
  { of: "link", point: { by: "server", use: "decisionLinks.use", when: "lost", nth: 1 } },
  { of: "session", point: { by: "worker", use: "leases.acquire", when: "after", nth: 1 } },
  { of: "session", point: { by: "worker", use: "approvals.of", when: "after", nth: 1 } },
  { of: "session", point: { by: "worker", use: "lines.ship", when: "lost", nth: 1 } },
]

/** What is sent with the link, and whether the model goes on to make the note. */
const answers: readonly {
  readonly prompt: (nth: number) => string
  readonly body: JsonObject
  readonly isYes: boolean
}[] = [
  { prompt: questionPrompt, body: { to: "answer", answers: { [question]: no } }, isYes: false },
  { prompt: plannedPrompt, body: { to: "plan/approve", mode: "default" }, isYes: true },
  { prompt: questionPrompt, body: { to: "answer", answers: { [question]: yes } }, isYes: true },
]

test.skipIf(!hasPostgres)(
  "each counts once, its effect comes once, and whoever asks again is told the truth",
  async () => {
    await using fleet = await openTrialFleet("server", noteTaker)
    const turn = openTurns()
    const trials = faults.flatMap((fault, at) =>
      turn(answers.filter(({ isYes }) => isYes || at < 2)).map((answer, kind) => ({
        ...answer,
        fault,
        nth: at * 10 + kind,
      })),
    )
    const kills = trials.filter(({ fault }) => fault.point.when !== "lost").length
    const lanes = Array.from({ length: 4 }, async () => {
      for (let trial = trials.shift(); trial; trial = trials.shift()) await run(fleet, trial)
    })
    await Promise.all(lanes)
    expect(fleet.deaths()).toBeGreaterThanOrEqual(kills)
    expect(fleet.stderr()).not.toContain("mistake")
  },
  Infinity,
)

type Trial = (typeof answers)[number] & { readonly fault: (typeof faults)[number]; readonly nth: number }

async function run(fleet: TrialFleet, { prompt, body, isYes, fault, nth }: Trial): Promise<void> {
  const { of, point } = fault
  const about = `${nth} ${String(body["to"])}, ${point.by} ${point.use} ${point.when}`
  const isPlan = body["to"] === "plan/approve"
  const workspace = { path: fleet.place.work }
  const mode = isPlan ? "plan" : "default"
  const made = await fleet.ask({
    as: "ann",
    path: "sessions",
    key: `new ${nth}`,
    body: { prompt: prompt(nth), workspace, mode, model: "claude-sonnet-5" },
  })
  const id = String(made.body["id"])
  const link = await fleet.answerLinkTo(id)
  // It is set aside, or what is armed would be about asking.
  const asked = (await fleet.until(id, ({ pending, worker }) => pending.length > 0 && !worker)).pending[0]
  fleet.arm(of === "link" ? link : id, point)
  const press = () => fleet.ask({ as: "ann", path: "decide", body: { link, ...body } })
  const pressed = [await press(), await press()]
  for (const [at, { status, tries, body: told }] of pressed.entries()) {
    const isUsed = status === 409
    // Of a first press that was cut off, the next try may hear that it was taken.
    if (!isUsed) expect({ about, at, told }).toMatchObject({ at: 0, told: { state: "allowed", effective: true } })
    else
      expect({ about, isLate: at === 1 || tries > 1, told }).toMatchObject({
        isLate: true,
        told: { error: { code: "conflict" } },
      })
  }
  if (isYes) {
    const { pending } = await fleet.until(id, (now) => now.pending.some((each) => each.action.tool === "Bash"))
    const act = pending.find((each) => each.action.tool === "Bash")
    const path = `sessions/${id}/approvals/${act?.id}`
    expect((await fleet.ask({ as: "bob", path, body: { decision: "allow", digest: act?.digest ?? "" } })).status).toBe(
      200,
    )
  }
  const over = await fleet.until(id, ({ stage, worker }) => (stage === "completed" || stage === "failed") && !worker)
  const decided = over.completed.filter(({ approvalId }) => approvalId === asked?.id)
  const file = Bun.file(join(fleet.place.work, noteFile(nth)))
  const notes = (await file.exists()) ? await file.text() : ""
  expect({
    about,
    stage: over.stage,
    said: over.result?.text === unknownText ? lastText : over.result?.text,
    answered: decided.map(({ state, by }) => [state, by]),
    others: over.completed.length - decided.length,
    // A worker that is killed has other sessions too, and whoever takes one of them knows only that the note may be there.
    notes: over.result?.text === unknownText && notes === "" ? "once\n" : notes,
  }).toEqual({
    about,
    stage: "completed",
    said: lastText,
    answered: [["allowed", "ann"]],
    others: isYes ? 1 : 0,
    notes: isYes ? "once\n" : "",
  })
}
