/** From arguments and settings to an open session. */

import { statSync } from "node:fs"
import { release } from "node:os"
import { join } from "node:path"
import { ripgrepPath } from "#ground/bundled/ripgrep.ts"
import { modelFacts } from "#ground/models/catalog.ts"
import { isSimulated } from "#ground/models/model-id.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { processEnvironment } from "#ground/settings/environment.ts"
import { openSearch } from "#ground/web/search.ts"
import type { PersonShell } from "#ground/workspace/snapshot.ts"
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
import { chooseSession } from "./choose-session.ts"
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
    if (!isFolder(folder)) return usage(`The added folder ${folder} does not exist or is not a folder.`)

  const chosen = chooseSession(args, setting)
  if (!chosen.ok) return chosen
  const { forget, ...which } = chosen.value
  const model = await connect(args, setting)
  if (!model.ok) {
    forget()
    return model
  }
  const { port, id, fallback, small, simulated, notes, apiKeySource, close } = model.value
  const prices = isPriceTable(loaded.settings.providers?.prices) ? loaded.settings.providers.prices : undefined

  const endpoint = loaded.settings.webSearch?.endpoint
  const search = endpoint === undefined ? undefined : openSearch({ endpoint, clock: systemClock })
  if (search && !search.ok) {
    await close()
    forget()
    return wrong(`webSearch.endpoint cannot be used: ${search.failure}`)
  }

  const session = await openSession({
    ...which,
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
      given: args.has("model"),
      ...(fallback !== undefined && { fallback }),
      small,
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
      ...given("snapshot", setting.trusted ? personShell() : undefined),
    },
    ...given("search", search?.value),
    answerer: face === "headless" ? "nobody" : "ops",
    clock: systemClock,
    ids: systemIds,
  })
  if (!session.ok) {
    await close()
    forget()
    return wrong(session.failure.message)
  }
  // A session that was begun with the simulator cannot go on with it where a provider answers.
  if (!simulated && isSimulated(session.value.state().model)) session.value.submit({ type: "set_model", model: id })
  return ok({
    session: session.value,
    apiKeySource,
    notes: [...notes, ...session.value.about.notes],
    async close() {
      await session.value.close()
      await close()
      forget()
    },
  })
}

/** The shell as the person set it up: from the real environment, which no project can change. */
function personShell(): PersonShell {
  const raw = processEnvironment()
  return { file: raw.SHELL ?? "", env: () => childEnvironment(raw) }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
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
    managedOnly: loaded.settings.allowManagedPermissionRulesOnly === true,
  })
}
