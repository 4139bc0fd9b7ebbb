/** A member of a team that is a session of a fleet: opened with what its lead wrote down, under what its lead hands down now. */

import { openPrices } from "#kits/budget/prices.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OpenedSession, OpeningAsk } from "#fleet/work/opening.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Budget } from "#agent/words/budget.ts"
import type { ChildWorktree } from "#agent/words/child.ts"
import type { TeamStore } from "#agent/words/team.ts"
import { movedKit } from "#fleet/work/moved-words.ts"
import { awayRelay } from "#team/away-relay.ts"
import { type MemberEnd, openMemberProcess, readSeatOpening, type SeatOpening } from "#team/member-process.ts"
import { leadName } from "#team/place.ts"
import type { Arguments } from "./argv.ts"
import { connect } from "./connect.ts"
import type { FlagName } from "./flags.ts"
import { liveHalf } from "./member.ts"
import { settledOptions } from "./session-options.ts"
import type { Setting } from "./setting.ts"
import { givenPrices } from "./start.ts"

export async function openFleetMember(
  ask: OpeningAsk,
  args: Arguments<FlagName>,
  setting: Setting,
  {
    report,
    confine,
  }: { readonly report: (text: string) => void; readonly confine: (options: SessionOptions) => SessionOptions },
): Promise<Result<OpenedSession, string>> {
  const written = readSeatOpening(ask.record.opening.member ?? {})
  if (!written)
    return failed("What its lead wrote down cannot be read. The lead may have been another version of Codewright.")
  const { branch } = ask.record.opening
  const seat = branch === undefined ? written : inClone(written, { path: ask.cwd, branch })
  if (!(await ask.teams.has(seat.team))) return failed(`The team ${seat.team} has ended.`)
  const settled = await settledOptions(args, setting, "headless")
  if (!settled.ok) return failed(settled.failure.message)
  const model = await connect(args, setting, "headless")
  if (!model.ok) return failed(model.failure.message)
  const { models, close } = model.value
  const store = await ask.teams.open({ name: seat.team, lead: leadName })
  const before = (await store.roster.members()).find(({ name }) => name === seat.name)
  const handed = await openHanded(store, () => ask.handed(seat.team))
  const live = liveHalf(
    settled.value.options,
    { ...model.value, models: { ...models, ...ask.watched(models) } },
    setting,
  )
  let isClosing = false
  const opened = await openMemberProcess({
    seat: {
      ...seat,
      costUsd: before?.costUsd ?? 0,
      ...(ask.log.kind !== "new" && { wasLeft: before?.state === "idle" ? "idle" : "working" }),
    },
    live,
    prices: openPrices({ listed: models.priceOf, ...givenPrices(setting) }),
    tied: {
      store,
      relay: awayRelay(handed),
      plans: ask.teams.plans(seat.team),
      log: undefined,
      lead: "away",
      isClone: branch !== undefined,
      kept: await ask.budget(() => budgetIn(handed()) ?? seat.handed.budget),
      shape: (options) => confine(shaped(options, ask)),
    },
    isWatched: false,
    onFailure(error) {
      // What was still under way when it was set aside is refused, and done by whoever continues it.
      if (!isClosing) report(`The team ${seat.team} cannot be used: ${String(error)}`)
    },
  })
  if (!opened.ok) {
    await close()
    return opened
  }
  const member = opened.value
  // It keeps its place until it has left by itself.
  let end: MemberEnd = "closes"
  void member.over.then((how) => (end = how))
  return ok({
    session: member.session,
    isResting: member.isResting,
    async close(how) {
      isClosing = true
      await member.close(end, how)
      await close()
    },
  })
}

/** Written by the session of the lead, which has it as such. */
const budgetIn = (handed: JsonObject | undefined): Budget | undefined =>
  isObject(handed?.budget) ? (handed.budget as Budget) : undefined

/** A clone is to the session what a worktree is: a copy of what its lead works in. */
const inClone = (seat: SeatOpening, worktree: ChildWorktree): SeatOpening => ({
  ...seat,
  session: { ...seat.session, worktree },
})

/** What the lead handed down last. */
async function openHanded(
  store: Pick<TeamStore, "watch">,
  read: () => Promise<JsonObject | undefined>,
): Promise<() => JsonObject | undefined> {
  let text: string | undefined
  let known: JsonObject | undefined
  const take = (now: JsonObject | undefined): void => {
    if (JSON.stringify(now) === text) return
    text = JSON.stringify(now)
    // What its user allows it for good would have to be written where the lead is.
    known = now && { ...now, destinations: ["session"] }
  }
  take(await read())
  store.watch(() => {
    void read()
      .then(take)
      // The next change tells it.
      .catch(() => {})
  })
  return () => known
}

const shaped = (
  options: SessionOptions,
  { record, log, shelf, copy, onCall, onRun, plans, worktrees, notes }: OpeningAsk,
): SessionOptions => ({
  ...options,
  ...(notes.length > 0 && { notices: notes, kits: [...(options.kits ?? []), movedKit(notes)] }),
  id: record.id,
  log,
  shelf,
  copy,
  onCall,
  onRun,
  plan: { ...options.plan, folder: plans },
  place: { ...options.place, worktrees },
})
