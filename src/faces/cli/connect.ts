/** The way to the model: the provider that is configured, or the simulator when none is. */

import { aliasesFrom, resolveModel } from "#ground/models/catalog.ts"
import { chooseProvider, openModel, type OpenModel } from "#ground/models/choose.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { keptKey } from "#ground/settings/kept-key.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import { modelForMode } from "#kits/plan/model.ts"
import { systemClock } from "#lib/clock.ts"
import { given } from "#lib/given.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ModelChoice } from "#session/options.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, wrong } from "./failure.ts"
import type { FlagName } from "./flags.ts"
import type { Setting } from "./setting.ts"

export interface Connection {
  readonly port: OpenModel
  readonly id: string
  readonly fallback: string | undefined
  readonly forMode: NonNullable<ModelChoice["forMode"]>
  readonly small: string
  /** For subagents: what they think with by default, what all of them do, and what stands behind a name. */
  readonly forAgents: Pick<ModelChoice, "middle" | "forAgents" | "resolve">
  readonly simulated: boolean
  readonly apiKeySource: string
  readonly notes: readonly string[]
  readonly close: () => Promise<void>
}

/** Opens the way to the model; with nothing configured, starts the simulator and says so. */
export async function connect(
  args: Arguments<FlagName>,
  { environment, loaded, state }: Setting,
): Promise<Result<Connection, StartFailure>> {
  const aliases = aliasesFrom({
    ...given("ANTHROPIC_MODEL", environment.model),
    ...given("ANTHROPIC_SMALL_FAST_MODEL", environment.smallFastModel),
    ...given("ANTHROPIC_DEFAULT_OPUS_MODEL", environment.opusModel),
    ...given("ANTHROPIC_DEFAULT_SONNET_MODEL", environment.sonnetModel),
    ...given("ANTHROPIC_DEFAULT_HAIKU_MODEL", environment.haikuModel),
  })
  const wanted = loaded.settings.model ?? "default"
  const fallbackName = args.value("fallback-model")
  const fallback = fallbackName === undefined ? undefined : resolveModel(fallbackName, aliases)
  const helper = loaded.settings.apiKeyHelper
  const headers = readHeaders(environment.customHeaders)
  if (!headers.ok) return wrong(headers.failure)
  // Whoever says in any other way how to reach a model means that, not the key from the first run.
  const isSaid = environment.baseUrl ?? environment.apiKey ?? environment.authToken ?? helper
  const kept = isSaid === undefined ? keptKey(state) : undefined
  const choice = chooseProvider({
    model: resolveModel(wanted, aliases),
    headers: headers.value,
    ...given("baseUrl", environment.baseUrl),
    ...given("apiKey", environment.apiKey ?? kept),
    ...given("authToken", environment.authToken),
    ...(helper !== undefined && { readKey: () => runKeyHelper(helper, childEnvironment(loaded.env)) }),
  })
  // Who answers is said by its own name, unless the person asked for another to be played.
  const chosen = choice.kind === "simulator" && loaded.settings.model === undefined ? "sim" : wanted
  const id = resolveModel(chosen, aliases)
  const simulator = choice.kind === "simulator" ? await startSimulator() : undefined
  if (simulator && !simulator.ok) return simulator
  const port = openModel({
    provider: {
      ...(choice.kind === "simulator"
        ? { kind: "anthropic", baseUrl: simulator?.value.url ?? "", apiKey: "simulator", serverTools: "none" }
        : choice),
      ...(!environment.toolSearch && { deferral: "never" }),
    },
    policy: {
      attempts: environment.maxRetries + 1,
      hasFallback: (model) => fallback !== undefined && model !== fallback,
    },
    limits: { silenceMs: environment.streamIdleMs, firstByteMs: environment.firstByteMs },
    clock: systemClock,
    ids: systemIds,
  })
  return ok({
    port,
    id,
    fallback,
    // The session goes by the model it works with; planning looks at what was chosen.
    forMode: ({ mode, model, contextTokens }) =>
      modelForMode({ mode, chosen: model === id ? chosen : model, contextTokens, aliases }),
    small: resolveModel(aliases.small, aliases),
    // Who answers is said by its own name, here too.
    forAgents:
      simulator && id === "sim"
        ? { resolve: () => id }
        : {
            middle: aliases.sonnet,
            resolve: (name) => resolveModel(name, aliases),
            ...given("forAgents", environment.subagentModel),
          },
    simulated: simulator !== undefined,
    apiKeySource: simulator
      ? "simulator"
      : helper
        ? "apiKeyHelper"
        : environment.apiKey
          ? "ANTHROPIC_API_KEY"
          : kept
            ? "key.json"
            : "none",
    notes: simulator ? [simulatorNote] : [],
    async close() {
      port.close()
      await simulator?.value.close()
    },
  })
}

const simulatorNote =
  "Using the built-in simulator, which has no understanding. Set ANTHROPIC_API_KEY to connect a real model."

async function startSimulator(): Promise<Result<{ url: string; close: () => Promise<void> }, StartFailure>> {
  const { openSimulator } = await import("#sim/server.ts")
  const opened = await openSimulator({ keepRequests: "none" })
  return opened.ok ? opened : wrong(opened.failure.message)
}

/** `Name: value`, one a line. */
function readHeaders(text: string | undefined): Result<{ readonly [name: string]: string }, string> {
  const headers: { [name: string]: string } = {}
  for (const [index, line] of (text ?? "").split("\n").entries()) {
    if (line.trim() === "") continue
    const found = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(.*?)\s*$/.exec(line)
    // The line itself is not shown: such headers carry keys.
    if (!found) return failed(`ANTHROPIC_CUSTOM_HEADERS: line ${index + 1} is not of the form 'Name: value'.`)
    headers[found[1] as string] = found[2] as string
  }
  return ok(headers)
}
