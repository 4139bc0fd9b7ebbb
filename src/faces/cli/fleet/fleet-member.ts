/** A member of a team that is a session of a fleet: opened with what its lead wrote down, with what its lead publishes now. */

import { openPrices } from "#kits/budget/prices.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { OpenedSession, OpeningAsk } from "#fleet/work/opening.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { ChildWorktree } from "#agent/words/child.ts"
import type { TeamStore } from "#agent/words/team.ts"
import { movedKit } from "#fleet/work/moved-words.ts"
import { type Inherited, readInherited } from "#session/opening/inherited.ts"
import { fleetCalls } from "#team/hosts/fleet-calls.ts"
import type { MemberEnd } from "#team/hosts/messages.ts"
import { openSeparateMember, readSeatOpening, type SeatOpening } from "#team/member-session.ts"
import { leadName } from "#team/place.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import { connect } from "#faces/cli/models/connect.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import { liveHalf } from "#faces/cli/team/member.ts"
import { settledOptions } from "#faces/cli/flags/session-options.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { userPrices } from "#faces/cli/start.ts"

export async function openFleetMember(
  ask: OpeningAsk,
  args: Arguments<FlagName>,
  setting: StartupContext,
  {
    report,
    confine,
  }: { readonly report: (text: string) => void; readonly confine: (options: SessionOptions) => SessionOptions },
): Promise<Result<OpenedSession, string>> {
  const written = readSeatOpening(ask.record.opening.member ?? {})
  if (!written) return failed("The lead's instructions cannot be read. It may run another version of Codewright.")
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
  const inherited = await openInherited(store, seat.inherited, () => ask.handed(seat.team))
  const budget = (): Inherited["budget"] => inherited().budget
  const prices = openPrices({ listed: models.priceOf, ...userPrices(setting) })
  const live = liveHalf(
    settled.value.options,
    { ...model.value, models: { ...models, ...ask.watched(models) } },
    setting,
  )
  let isClosing = false
  const opened = await openSeparateMember({
    seat: {
      ...seat,
      costUsd: before?.costUsd ?? 0,
      ...(ask.log.kind !== "new" && { wasLeft: before?.state === "idle" ? "idle" : "working" }),
    },
    live,
    store,
    plans: ask.teams.plans(seat.team),
    log: undefined,
    up: fleetCalls({ member: seat.name, prices, budget, kept: await ask.budget(budget) }),
    inherited,
    asksLead: false,
    isClone: branch !== undefined,
    shape: (options) => confine(shaped(options, ask)),
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
  void member.left.then(() => (end = "leaves"))
  return ok({
    session: member.session,
    isResting: member.isResting,
    async close(how) {
      isClosing = true
      await member.close(end, how === "handing over" ? how : undefined)
      await close()
    },
  })
}

/** A clone is to the session what a worktree is: a copy of what its lead works in. */
const inClone = (seat: SeatOpening, worktree: ChildWorktree): SeatOpening => ({
  ...seat,
  session: { ...seat.session, worktree },
})

/** What the lead published last, or had when it started the member. */
async function openInherited(
  store: Pick<TeamStore, "watch">,
  first: Inherited,
  read: () => Promise<JsonObject | undefined>,
): Promise<() => Inherited> {
  // What its user allows it for good would have to be written where the lead is.
  const ownOf = (inherited: Inherited): Inherited => ({ ...inherited, destinations: ["session"] })
  let text: string | undefined
  let known = ownOf(first)
  const applyInherited = (now: JsonObject | undefined): void => {
    const inherited = readInherited(now)
    if (!inherited || JSON.stringify(now) === text) return
    text = JSON.stringify(now)
    known = ownOf(inherited)
  }
  applyInherited(await read())
  store.watch(() => {
    void read()
      .then(applyInherited)
      // The next change tells it.
      .catch(() => {})
  })
  return () => known
}

const shaped = (
  options: SessionOptions,
  { record, log, sessionLogs, copy, onCall, onRun, plans, worktrees, notes }: OpeningAsk,
): SessionOptions => ({
  ...options,
  ...(notes.length > 0 && { notices: notes, kits: [...(options.kits ?? []), movedKit(notes)] }),
  id: record.id,
  log,
  sessionLogs,
  copy,
  onCall,
  onRun,
  plan: { ...options.plan, folder: plans },
  place: { ...options.place, worktrees },
})
