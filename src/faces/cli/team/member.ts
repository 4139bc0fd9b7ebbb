/** This process is a member of a team: its session works for the lead's, without a face or in a pane of tmux. */

import { lstatSync, readFileSync, rmSync } from "node:fs"
import { adoptEnvironment } from "#ground/settings/environment.ts"
import { openPrices } from "#kits/budget/prices.ts"
import { systemClock } from "#lib/clock.ts"
import { isObject, objectIn } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { LiveHalf } from "#session/opening/opening.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import { openSessionLogs } from "#ground/transcript/session-logs.ts"
import type { Session } from "#session/port/session.ts"
import { type LinkedMember, openLinkedMember } from "#team/hosts/linked-member.ts"
import type { MemberEnd } from "#team/hosts/messages.ts"
import { logOf, readSeatOpening, type SeatOpening } from "#team/member-session.ts"
import { leadName } from "#team/place.ts"
import { fileTeamStores } from "#team/team-stores.ts"
import { connect, type Connection } from "#faces/cli/models/connect.ts"
import type { Io } from "#faces/cli/io.ts"
import { argumentsOf, type MemberProgram } from "./member-processes.ts"
import { readSetting, type StartupContext } from "#faces/cli/startup-context.ts"
import { settledOptions } from "#faces/cli/flags/session-options.ts"
import { userPrices, isTelemetryOn } from "#faces/cli/start.ts"

/** `from`: the file with what it is opened with, or `-` for standard input. */
export async function runMember(from: string, io: Io): Promise<number> {
  const read = readOpening(from)
  if (!read.ok) return io.fail(read.failure)
  const { program, seat } = read.value
  if (program.env) adoptEnvironment(program.env, paneVariables)
  const args = argumentsOf(program)
  const trust = typeof program.trust === "string" ? program.trust : new Set(program.trust)
  const setting = await readSetting(args, program.cwd, trust)
  if (!setting.ok) return io.fail(setting.failure.message)
  const isPane = from !== "-"
  const face = isPane ? "terminal" : "headless"
  const settled = await settledOptions(args, setting.value, face)
  if (!settled.ok) return io.fail(settled.failure.message)
  const model = await connect(args, setting.value, face)
  if (!model.ok) return io.fail(model.failure.message)
  const stores = fileTeamStores(setting.value.state, systemClock)
  const store = await stores.open({ name: seat.team, lead: leadName })
  const watching = isTelemetryOn(setting.value)
    ? (await import("#faces/cli/telemetry/telemetry-here.ts")).telemetryHere(setting.value, face, seat.session.agentId)
    : undefined
  const opened = await openLinkedMember({
    seat,
    store,
    plans: stores.plans(seat.team),
    log: logOf(seat.session),
    live: {
      ...liveHalf(settled.value.options, model.value, setting.value),
      ...optional("telemetry", watching?.telemetry),
    },
    prices: openPrices({ listed: model.value.models.priceOf, ...userPrices(setting.value) }),
    isWatched: isPane,
    onFailure: openFailures(io),
  })
  if (!opened.ok) {
    await model.value.close()
    return io.fail(opened.failure)
  }
  if (isPane) await inPane(opened.value, model.value, setting.value, io, `${seat.name} (${seat.team})`)
  else await opened.value.close(await alone(opened.value, io))
  await watching?.close()
  await model.value.close()
  return 0
}

/** These belong to the pane. */
const paneVariables: readonly string[] = ["TERM", "TMUX", "TMUX_PANE", "COLORTERM", "COLUMNS", "LINES", "TERM_PROGRAM"]

function readOpening(from: string): Result<{ readonly program: MemberProgram; readonly seat: SeatOpening }, string> {
  const value = objectIn(from === "-" ? readFileSync(0, "utf8") : readOnce(from))
  const { args, cwd, trust, env, seat } = value ?? {}
  const opening = isObject(seat) ? readSeatOpening(seat) : undefined
  if (!opening || !isObject(args) || typeof cwd !== "string" || trust === undefined)
    return failed("--member is for Codewright itself: it starts the members of a team with it.")
  // Written by our own lead, to a file of the user's or to our input.
  return ok({
    program: { args, cwd, trust, ...(env !== undefined && { env }) } as unknown as MemberProgram,
    seat: opening,
  })
}

/** Only a file that nobody else can read; it holds the environment, so it is removed at once. */
function readOnce(path: string): string {
  try {
    const { mode, uid } = lstatSync(path)
    if ((mode & 0o77) !== 0 || (process.getuid !== undefined && uid !== process.getuid())) return ""
    const text = readFileSync(path, "utf8")
    rmSync(path)
    return text
  } catch {
    return ""
  }
}

export function liveHalf(
  options: Omit<SessionOptions, "id" | "log" | "sessionLogs" | "model">,
  { models, forMode, forAgents }: Connection,
  setting: StartupContext,
): LiveHalf {
  const {
    manner: _manner,
    system: _system,
    limits: _limits,
    names: _names,
    plan: _plan,
    memory: _memory,
    extensions: _extensions,
    playing: _playing,
    attachments: _attachments,
    compaction: _compaction,
    deferral: _deferral,
    tools: _tools,
    outputSchema: _schema,
    agents: _agents,
    ...live
  } = options
  const { resolve } = forAgents
  return {
    ...live,
    id: "lead",
    log: { kind: "none" },
    sessionLogs: openSessionLogs({ projects: setting.state, slug: "projects" }),
    model: {
      port: models,
      forMode,
      ...(resolve && { resolve }),
      factsOf: models.factsOf,
      prices: openPrices({ listed: models.priceOf, ...userPrices(setting) }),
    },
  }
}

/** A timer can be no longer; a member that lives longer costs a little more from then on. */
const longest = 2 ** 31 - 1

async function alone({ over }: LinkedMember, io: Io): Promise<MemberEnd> {
  const ended = new AbortController()
  // Nothing else may hold the event loop while it waits for work, and one that nothing holds is asked without pause.
  void systemClock.sleep(longest, ended.signal)
  // Whoever ends the process from outside does not end its place in the team.
  const end = await Promise.race([over, io.untilStopped().then(() => "closes" as const)])
  ended.abort()
  return end
}

/** The user may look and type here; leaving the screen ends the member. */
async function inPane(
  { session, over, close }: LinkedMember,
  { models }: Connection,
  setting: StartupContext,
  io: Io,
  title: string,
): Promise<void> {
  const stop = new AbortController()
  let end: MemberEnd | undefined
  void over.then((how) => {
    end ??= how
    stop.abort()
  })
  // The screen closes what it shows, and that is when the member leaves its team or only ends for now.
  const shown: Session = { ...session, close: (how) => close(end ?? (how === undefined ? "leaves" : "closes")) }
  const { converseOnScreen } = await import("#faces/cli/terminal/on-screen.ts")
  await converseOnScreen({ session: shown, models, prompt: "", setting, io, title, stop: stop.signal })
}

/** Told once: the next try may work. */
function openFailures(io: Io): (error: unknown) => void {
  let last = ""
  return (error) => {
    const text = `The team cannot be used: ${error instanceof Error ? error.message : String(error)}`
    if (text !== last) io.warn(text)
    last = text
  }
}
