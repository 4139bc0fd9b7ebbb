/** Decisions over HTTP, with clicks that come twice, together, late or about something else, and processes that are killed in between. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { seededIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { hasPostgres } from "../../kit/database/postgres-server.ts"
import type { FaultPoint, TrialUser } from "../../kit/fleet/fault-points.ts"
import {
  hastyFile,
  hastyPrompt,
  noteFile,
  notePrompt,
  noteTaker,
  planText,
  plannedPrompt,
  unknownText,
} from "../../kit/fleet/note-taker.ts"
import { type Answer, newKey, openTrialFleet, type ShownSession, type TrialFleet } from "../../kit/fleet/trial-fleet.ts"

/** For a quiet machine: 1000. */
const many = process.env["CODEWRIGHT_TRIALS"]
const lanes = 6

const at = (
  by: FaultPoint["by"],
  use: FaultPoint["use"],
  when: FaultPoint["when"],
  nth = 1,
  asked: "at the question" | "with a key" | "" = "",
): Fault => ({ by, use, when, nth, asked })

interface Fault extends FaultPoint {
  /** Some are about the question itself; some need a client with a key. */
  readonly asked: "at the question" | "with a key" | ""
}

/** From the click to its effect, in order. How many times a worker ships lines depends on how quickly they come. */
const faults: readonly (Fault | "none" | "the server, after its reply")[] = [
  "none",
  at("server", "deliveries.due", "after", 1, "at the question"),
  at("server", "webhooks.send", "after", 1, "at the question"),
  at("worker", "lines.ship", "after", 1, "at the question"),
  at("worker", "lines.ship", "lost", 1, "at the question"),
  at("server", "sessions.get", "before"),
  at("server", "approvals.of", "after"),
  at("server", "once", "before", 1, "with a key"),
  at("server", "approvals.decide", "before"),
  at("server", "approvals.decide", "after"),
  at("server", "approvals.decide", "lost"),
  // Here the transaction is not committed yet.
  at("server", "approvals.decide", "after", 1, "with a key"),
  at("server", "once", "after", 1, "with a key"),
  at("server", "once", "lost", 1, "with a key"),
  "the server, after its reply",
  at("server", "lines.events", "before"),
  at("server", "lines.events", "after"),
  ...(["after", "lost"] as const).flatMap((when) => [
    at("worker", "leases.acquire", when),
    at("worker", "ops.waiting", when),
    at("worker", "leases.settle", when),
    at("worker", "lines.after", when),
    at("worker", "leases.attend", when),
    at("worker", "approvals.of", when),
    at("worker", "leases.report", when),
    at("worker", "lines.ship", when),
    at("worker", "lines.ship", when, 2),
    at("worker", "lines.ship", when, 3),
    at("worker", "leases.park", when),
  ]),
  at("worker", "sessions.get", "before"),
  at("worker", "lines.ship", "before"),
  at("worker", "lines.ship", "before", 2),
  at("worker", "lines.ship", "before", 3),
  at("worker", "leases.park", "before"),
]

const kinds = ["one", "twice", "one key", "opposite", "stale", "late", "changed", "by link"] as const
type Kind = (typeof kinds)[number]

interface Trial {
  readonly nth: number
  readonly kind: Kind
  readonly fault: (typeof faults)[number]
  readonly random: () => number
}

/** A click, and what its client was told. */
interface Click {
  readonly as: TrialUser
  readonly allows: boolean
  readonly key: string | undefined
  readonly isLink?: boolean
  readonly answer: Answer
}

/** By day each fault is tried once: two on the embedded engine, which each process compiles again, and there confined. */
const fleets = [
  { engine: "server", confines: false, isItsTurn: (nth: number) => nth % 24 !== 11 },
  { engine: "embedded", confines: true, isItsTurn: (nth: number) => nth % 24 === 11 },
  { engine: "embedded", confines: false, isItsTurn: () => false },
] as const

for (const { engine, confines, isItsTurn } of fleets.slice(0, many === undefined ? 2 : 3))
  test.skipIf(engine === "server" && !hasPostgres)(
    `what was allowed is done once, what was denied never, and each client is told the truth (${engine}${confines ? ", confined" : ""})`,
    async () => {
      await using fleet = await openTrialFleet(engine, noteTaker, { confines })
      const some = faults.filter((_, nth) => isItsTurn(nth))
      const count = Number(many ?? some.length)
      const { random } = seededIds(7)
      const trials = Array.from({ length: count }, (_, nth): Trial => {
        const fault = (many === undefined ? some[nth] : faults[nth % faults.length]) ?? "none"
        return { nth, fault, kind: kinds[Math.floor(random() * kinds.length)] ?? "one", random }
      })
      const begun = Date.now()
      const sums = new Map<string, number>()
      const waiting = [...trials]
      async function lane(): Promise<void> {
        for (let trial = waiting.shift(); trial; trial = waiting.shift()) {
          const outcome = await run(fleet, trial)
          sums.set(outcome, (sums.get(outcome) ?? 0) + 1)
          if (trial.nth % 100 === 99) say()
        }
      }
      function say(): void {
        const outcomes = [...sums].map(([outcome, times]) => `${times} ${outcome}`).join(", ")
        const seconds = Math.round((Date.now() - begun) / 1000)
        process.stdout.write(`${engine}: ${count} trials: ${outcomes}; ${fleet.deaths()} deaths, ${seconds} s\n`)
      }
      await Promise.all(Array.from({ length: lanes }, lane))
      expect(fleet.stderr()).not.toContain("mistake")
      say()
    },
    Infinity,
  )

/** Returns what became of the action. */
async function run(fleet: TrialFleet, trial: Trial): Promise<string> {
  const { nth, kind, fault } = trial
  const about = `${nth} ${kind}, ${typeof fault === "string" ? fault : Object.values(fault).join(" ")}`
  const prompt = kind === "late" ? hastyPrompt(nth) : kind === "changed" ? plannedPrompt(nth) : notePrompt(nth)
  const { body } = await fleet.ask({
    as: "ann",
    path: "sessions",
    key: `new ${nth}`,
    body: {
      prompt,
      workspace: { path: fleet.place.work },
      model: "claude-sonnet-5",
      mode: kind === "changed" ? "plan" : "default",
    },
  })
  const id = String(body["id"])
  const arm = (when: boolean): void => {
    if (when && typeof fault !== "string") fleet.arm(id, fault)
  }
  const isAtQuestion = typeof fault !== "string" && fault.asked === "at the question"
  arm(isAtQuestion)
  const following = fleet.follow(id)
  if (kind === "changed") await changePlan(fleet, id, about, () => arm(!isAtQuestion))
  const asked = await isAsked(fleet, id, "")
  if (!asked && kind === "late") {
    following.stop()
    // It was too late before anybody looked.
    const { completed } = await fleet.until(id, () => true)
    const states = completed.map(({ state }) => state)
    expect({ about, states, wasMade: await wasMade(fleet, trial) }).toEqual({
      about,
      states: ["expired"],
      wasMade: false,
    })
    return "expired"
  }
  if (asked?.action.tool !== "Bash") {
    const { stage, result } = await fleet.until(id, () => true)
    throw new Error(`${about}: asked was ${asked?.action.tool ?? "nothing"}, ${stage}: ${result?.text ?? "no result"}`)
  }
  if (kind !== "changed") arm(!isAtQuestion)
  const clicks = await click(fleet, id, asked, trial)
  if (fault === "the server, after its reply") fleet.killServer()
  const over = await fleet.until(
    id,
    ({ stage, worker, pending }) =>
      pending.some((each) => each.id !== asked.id) || ((stage === "completed" || stage === "failed") && !worker),
  )
  const told = over.pending.length === 0 ? await following.untilOver() : []
  following.stop()

  const decided = over.completed.filter(({ approvalId }) => approvalId === asked.id)
  const { state = "", by = "" } = decided[0] ?? {}
  expect({ about, stage: over.stage, pending: over.pending, decisions: decided.length }).toEqual({
    about,
    stage: "completed",
    pending: [],
    decisions: 1,
  })
  const file = fileOf(fleet, trial)
  const notes = (await file.exists()) ? await file.text() : ""
  const isUnknown = over.result?.text === unknownText
  if (isUnknown) expect({ about, state }).toEqual({ about, state: "allowed" })
  expect({ about, notes: isUnknown && notes === "" ? "once\n" : notes }).toEqual({
    about,
    notes: state === "allowed" ? "once\n" : "",
  })
  judge(clicks, { about, state, by })
  const numbers = told.map((each) => each.id)
  expect({ about, numbers }).toEqual({ about, numbers: numbers.toSorted((a, b) => a - b) })
  expect({ about, distinct: new Set(numbers).size }).toEqual({ about, distinct: numbers.length })
  const said = told.flatMap(({ event, data }) => (event === "approval" ? [JSON.parse(data) as JsonObject] : []))
  const states = said.filter((each) => each["id"] === asked.id).map((each) => each["state"])
  expect({ about, states }).toEqual({ about, states: ["open", state] })
  return isUnknown ? "allowed, cut off" : state
}

const fileOf = (fleet: TrialFleet, { nth, kind }: Trial): Bun.BunFile =>
  Bun.file(join(fleet.place.work, kind === "late" ? hastyFile(nth) : noteFile(nth)))

const wasMade = (fleet: TrialFleet, trial: Trial): Promise<boolean> => fileOf(fleet, trial).exists()

async function isAsked(
  fleet: TrialFleet,
  id: string,
  not: string,
): Promise<ShownSession["pending"][number] | undefined> {
  const { pending } = await fleet.until(
    id,
    ({ pending: asks, stage }) =>
      asks.some(({ digest }) => digest !== not) || stage === "completed" || stage === "failed",
  )
  return pending.find(({ digest }) => digest !== not)
}

/** The plan is changed after it was shown: what was said about the first is void, and the second is asked about. */
async function changePlan(fleet: TrialFleet, id: string, about: string, arm: () => void): Promise<void> {
  const first = await isAsked(fleet, id, "")
  if (first?.action.tool !== "ExitPlanMode") throw new Error(`${about}: no plan was shown`)
  writeFileSync(String(first.action.input["path"]), `${planText}- and more\n`)
  arm()
  const approve = (digest: string, as: TrialUser): Promise<Answer> =>
    fleet.ask({ as, path: `sessions/${id}/plan/approve`, body: { digest, mode: "default" } })
  const { status, tries } = await approve(first.digest, "ann")
  // Whoever has to ask again may hear that it is void by now.
  expect({ about, status }).toEqual({ about, status: tries > 1 && status === 409 ? 409 : 200 })
  const second = await isAsked(fleet, id, first.digest)
  if (!second) throw new Error(`${about}: the changed plan was not shown`)
  const late = await approve(first.digest, "bob")
  expect({ about, ...late.body }).toMatchObject({ about, error: { code: "void" } })
  expect({ about, answer: (await approve(second.digest, "bob")).status }).toEqual({ about, answer: 200 })
  const { completed } = await fleet.until(
    id,
    ({ pending, stage }) => pending.some((each) => each.id !== first.id) || stage === "completed" || stage === "failed",
  )
  const states = completed.filter(({ approvalId }) => approvalId === first.id).map(({ state }) => state)
  expect({ about, states }).toEqual({ about, states: ["void", "allowed"] })
}

async function click(
  fleet: TrialFleet,
  id: string,
  asked: { readonly id: string; readonly digest: string },
  { kind, fault, random }: Trial,
): Promise<readonly Click[]> {
  const isKeyed = kind === "one key" || (typeof fault !== "string" && fault.asked === "with a key")
  const key = isKeyed ? newKey(id) : undefined
  const allows = random() < 0.6
  const one = async (as: TrialUser, yes: boolean, digest = asked.digest): Promise<Click> => {
    const answer = await fleet.ask({
      as,
      path: `sessions/${id}/approvals/${asked.id}`,
      body: { decision: yes ? "allow" : "deny", digest },
      ...(key !== undefined && { key }),
      ...(random() < 0.3 && { cutMs: Math.floor(random() * 30) }),
    })
    return { as, allows: yes, key, answer }
  }
  switch (kind) {
    case "twice":
    case "one key":
      return Promise.all([1, 2, 3].map(() => one("ann", allows)))
    case "opposite":
      return Promise.all([one("ann", allows), one("bob", !allows)])
    case "stale": {
      const { answer } = await one("bob", !allows, "something else")
      expect(answer.body).toMatchObject({ error: { code: "void" } })
      return [await one("ann", allows)]
    }
    case "late":
      await Bun.sleep(random() * 2_500)
      return [await one("ann", allows)]
    case "by link": {
      const links = await fleet.linksTo(id)
      const byLink = async (yes: boolean): Promise<Click> => {
        const link = yes ? links.allow : links.deny
        // Where an answer on the page goes wrong before, in or after deciding, so does this one.
        if (typeof fault !== "string" && fault.use === "approvals.decide")
          fleet.arm(link, { ...fault, use: "decisionLinks.use" })
        const cut = random() < 0.3 && { cutMs: Math.floor(random() * 30) }
        const answer = await fleet.ask({ as: "ann", path: "decide", body: { link }, ...cut })
        return { as: "ann", allows: yes, key: undefined, isLink: true, answer }
      }
      return Promise.all([byLink(allows), byLink(allows), byLink(!allows), one("bob", !allows)])
    }
    case "one":
    case "changed":
      return [await one("ann", allows)]
  }
}

/** Holds what each client was told against what counts in the end. */
function judge(clicks: readonly Click[], { about, state, by }: { about: string; state: string; by: string }): void {
  const effective = clicks.filter(({ answer }) => answer.body["effective"] === true)
  for (const { allows, as } of effective)
    expect({ about, state, by }).toEqual({ about, state: allows ? "allowed" : "denied", by: as })
  // One click counts; those with one key are one click.
  if (effective.some(({ key }) => key === undefined))
    expect({ about, effective }).toMatchObject({ effective: { length: 1 } })
  for (const { answer, allows, as, isLink = false } of clicks) {
    // Used by a try of which nobody heard, or by the other one.
    if (isLink && answer.status === 409) {
      expect({ about, told: answer.body["error"] }).toMatchObject({ told: { code: "conflict" } })
      continue
    }
    if (state === "expired") expect({ about, told: answer.body["error"] }).toMatchObject({ told: { code: "expired" } })
    else expect({ about, told: answer.body["state"], by: answer.body["decidedBy"] }).toEqual({ about, told: state, by })
    // Nobody had an answer before: then the first to be answered is the one who decided.
    if (clicks.length === 1 && answer.tries === 1 && state !== "expired")
      expect({ about, as, effective: answer.body["effective"] }).toEqual({ about, as, effective: true })
    expect({ about, allows, status: answer.status }).toEqual({ about, allows, status: state === "expired" ? 409 : 200 })
  }
}
