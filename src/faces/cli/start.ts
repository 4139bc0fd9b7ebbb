/** From arguments and settings to an open session. */

import { statSync } from "node:fs"
import { release } from "node:os"
import { join } from "node:path"
import { ripgrepPath } from "#ground/bundled/ripgrep.ts"
import { modelFacts } from "#ground/models/catalog.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { makePrivateFolder, projectSlug } from "#ground/settings/state-folder.ts"
import { isSessionId, openShelf, type Shelf } from "#ground/transcript/shelf.ts"
import { openPrices, type PriceTable } from "#kits/budget/prices.ts"
import { bypassAllowed } from "#kits/permissions/bypass.ts"
import { systemClock } from "#lib/clock.ts"
import { given } from "#lib/given.ts"
import { systemIds } from "#lib/ids.ts"
import { ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { openSession, type SessionOptions } from "#session/open.ts"
import type { Session } from "#session/session.ts"
import type { Arguments } from "./argv.ts"
import { connect } from "./connect.ts"
import { type StartFailure, usage, wrong } from "./failure.ts"
import type { FlagName } from "./flags.ts"
import { readNumber } from "./numbers.ts"
import type { Setting } from "./setting.ts"

export interface Started {
  readonly session: Session
  readonly apiKeySource: string
  readonly notes: readonly string[]
  readonly close: () => Promise<void>
}

export async function startSession(
  args: Arguments<FlagName>,
  setting: Setting,
  face: "terminal" | "headless",
): Promise<Result<Started, StartFailure>> {
  const { environment, loaded, cwd, state, home } = setting
  const limits = readLimits(args)
  if (!limits.ok) return limits
  const permissions = readPermissions(args, setting)
  if (!permissions.ok) return permissions
  for (const folder of loaded.additionalDirectories)
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      return usage(`The added folder ${folder} does not exist or is not a folder.`)

  const shelf = openShelf({ projects: join(state, "projects"), slug: projectSlug(cwd) })
  const which = chooseLog(args, shelf)
  if (!which.ok) return which
  const made = makePrivateFolder(state)
  if (!made.ok && which.value.log.kind !== "none") return wrong(made.failure)

  const model = await connect(args, setting)
  if (!model.ok) return model
  const { port, id, fallback, simulated, notes, apiKeySource, close } = model.value
  const prices = isPriceTable(loaded.settings.providers?.prices) ? loaded.settings.providers.prices : undefined

  const session = await openSession({
    ...which.value,
    shelf,
    place: {
      cwd,
      home,
      stateFolder: state,
      addedFolders: loaded.additionalDirectories,
      childEnv: () => childEnvironment(loaded.env),
      ripgrep: await ripgrepPath({ cacheFolder: join(state, "cache"), pid: process.pid }),
      platform: process.platform,
      osVersion: release(),
      version,
      entrypoint: environment.entrypoint,
      pid: process.pid,
    },
    model: {
      port,
      id,
      ...(fallback !== undefined && { fallback }),
      factsOf: modelFacts,
      prices: openPrices({ answeredBy: simulated ? "simulator" : "provider", ...(prices && { given: prices }) }),
    },
    permissions: permissions.value,
    system: {
      face,
      ...given("replaced", args.value("system-prompt")),
      ...given("appended", args.value("append-system-prompt")),
    },
    limits: {
      ...limits.value,
      concurrency: environment.maxToolConcurrency,
      graceMs: 5_000,
      repeats: environment.maxRetries,
      thinking: environment.maxThinkingTokens
        ? { type: "budget", tokens: environment.maxThinkingTokens }
        : { type: "off" },
      ...given("maxOutputTokens", environment.maxOutputTokens),
    },
    shell: {
      defaultTimeoutMs: environment.bashDefaultTimeoutMs,
      maxTimeoutMs: environment.bashMaxTimeoutMs,
      outputCharacters: environment.bashMaxOutputLength,
    },
    answerer: face === "headless" ? "nobody" : "ops",
    clock: systemClock,
    ids: systemIds,
  })
  if (!session.ok) {
    await close()
    return wrong(session.failure.message)
  }
  return ok({
    session: session.value,
    apiKeySource,
    notes: [...notes, ...session.value.about.notes],
    async close() {
      await session.value.close()
      await close()
    },
  })
}

const isPriceTable = (value: unknown): value is PriceTable => typeof value === "object" && value !== null

function readLimits(
  args: Arguments<FlagName>,
): Result<{ readonly maxTurns?: number; readonly maxBudgetUsd?: number }, StartFailure> {
  const turns = args.value("max-turns")
  const budget = args.value("max-budget-usd")
  const maxTurns =
    turns === undefined ? undefined : readNumber("--max-turns", turns, { least: 1, most: 1e9, whole: true })
  if (maxTurns && !maxTurns.ok) return usage(maxTurns.failure)
  const maxBudget =
    budget === undefined ? undefined : readNumber("--max-budget-usd", budget, { least: 0, most: 1e9, whole: false })
  if (maxBudget && !maxBudget.ok) return usage(maxBudget.failure)
  return ok({ ...given("maxTurns", maxTurns?.value), ...given("maxBudgetUsd", maxBudget?.value) })
}

function readPermissions(
  args: Arguments<FlagName>,
  { environment, loaded }: Setting,
): Result<SessionOptions["permissions"], StartFailure> {
  const { defaultMode, disableBypassPermissionsMode, allowBypassAsRoot } = loaded.settings.permissions
  const skip = args.has("dangerously-skip-permissions")
  const mode = skip ? "bypassPermissions" : defaultMode
  const available = skip || mode === "bypassPermissions" || args.has("allow-dangerously-skip-permissions")
  const bypass = bypassAllowed({
    uid: process.getuid?.(),
    isSandbox: environment.isSandbox,
    managedAllowsRoot: allowBypassAsRoot ?? false,
    disabled: disableBypassPermissionsMode === "disable",
  })
  if (mode === "bypassPermissions" && !bypass.allowed) return usage(bypass.why)
  return ok({
    mode,
    modeGiven: skip || args.has("permission-mode"),
    bypassAvailable: available && bypass.allowed,
    rules: loaded.rules,
  })
}

/** Which conversation: a new one, or one of before. */
function chooseLog(args: Arguments<FlagName>, shelf: Shelf): Result<Pick<SessionOptions, "id" | "log">, StartFailure> {
  const asked = args.value("session-id")
  if (asked !== undefined && !isSessionId(asked)) return usage(`--session-id takes a UUID, not '${asked}'.`)
  const resumed = args.value("resume")
  if (resumed !== undefined || args.has("continue")) {
    const id = resumed === undefined ? shelf.newest() : resumed
    if (id === undefined)
      return wrong("There is no conversation in this folder to go on with. Start one without --continue.")
    if (id === "") return usage("--resume needs the id of a session; --continue takes the newest of this folder.")
    const path = shelf.find(id)
    if (path === undefined) return wrong(`No conversation found with session ID: ${id}`)
    return ok({ id, log: { kind: "resume", path } })
  }
  const id = asked ?? systemIds.uuid()
  if (args.has("no-session-persistence")) return ok({ id, log: { kind: "none" } })
  if (asked !== undefined && shelf.find(asked) !== undefined)
    return usage(`A session with the id ${asked} exists already. Use --resume ${asked} to go on with it.`)
  return ok({ id, log: { kind: "new" } })
}
