/** What can be used on this machine: providers with a key, servers that answer, and what the others need. */

import { listModels, type AskedServer } from "#ground/models/ask-server.ts"
import { listedModels } from "#ground/models/anthropic/prices.ts"
import { anthropicName } from "#ground/models/anthropic/releases.ts"
import { type KeySource, openCredential } from "#ground/models/credential.ts"
import type { ProviderRow } from "#faces/tui/panels/provider-panel-port.ts"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { ok, type Result } from "#lib/result.ts"
import { providerRequests } from "./provider-requests.ts"
import { keyInUse } from "./key-in-use.ts"
import { type ServerHere, serversHere } from "./providers.ts"
import { keyWhere } from "#faces/cli/fleet/server-key.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export type AskedServers = "servers" | "nobody"

/** A running server answers at once; nobody should wait for one that is not there. */
const localPatienceMs = 500
const patienceMs = 8_000

/** Those that can be used first. Only servers on this machine are asked, and those at an address that the user set. */
export async function foundProviders(
  setting: StartupContext,
  asking: AskedServers,
  signal: AbortSignal,
): Promise<readonly ProviderRow[]> {
  const servers = serversHere(setting, "terminal")
  const rows = await Promise.all(
    (servers.ok ? servers.value : [])
      .filter(({ known }) => known?.variantOf === undefined)
      .map((server) => rowOf(server, setting, asking, signal)),
  )
  const all = [anthropicRow(setting), ...rows, ...cloudRows(setting)]
  return order.flatMap((state) => all.filter((row) => row.state === state))
}

const order: readonly ProviderRow["state"][] = ["ready", "needs key", "not running"]

function anthropicRow(setting: StartupContext): ProviderRow {
  const { source, which } = keyInUse(setting)
  const { baseUrl } = setting.environment
  const key = source === "none" ? undefined : which.replace(/^The /, "")
  const at = baseUrl && `at ${hostIn(baseUrl)} (ANTHROPIC_BASE_URL)`
  const about = at === undefined ? key : [at, ...(key === undefined ? [] : [key])].join(" · ")
  return {
    name: anthropicName,
    who: "Anthropic",
    state: about === undefined ? "needs key" : "ready",
    about: about ?? "set ANTHROPIC_API_KEY, or paste a key",
    takesKey: true,
    keysAt: "https://platform.claude.com/settings/keys",
    isSaved: source === "key.json",
  }
}

const hostIn = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

/** Clouds have no key to paste: each has credentials of its own, and a variable that selects it. */
export const cloudRows = ({ environment }: StartupContext): readonly ProviderRow[] =>
  [
    cloudRow("bedrock", "Amazon Bedrock", environment.useBedrock, "your AWS credentials"),
    cloudRow("vertex", "Google Vertex AI", environment.useVertex, "your Google Cloud credentials"),
    cloudRow("foundry", "Microsoft Foundry", environment.useFoundry, "ANTHROPIC_FOUNDRY_RESOURCE"),
  ] as const

function cloudRow(name: string, who: string, isSelected: boolean, besides: string): ProviderRow {
  const variable = `CLAUDE_CODE_USE_${name.toUpperCase()}`
  return {
    name,
    who,
    state: isSelected ? "ready" : "needs key",
    about: isSelected ? `${variable} is set` : `set ${variable}=1, and ${besides}`,
    takesKey: false,
    isSaved: false,
  }
}

async function rowOf(
  server: ServerHere,
  setting: StartupContext,
  asking: AskedServers,
  signal: AbortSignal,
): Promise<ProviderRow> {
  const { choice, variables, isReady, known } = server
  const found = server.key()
  const where = keyWhere(found, setting)
  const takesKey = known === undefined || known.keys.length > 0
  const row = {
    name: choice.name,
    who: choice.who,
    takesKey,
    isSaved: found.source === "saved",
    ...(known?.signsIn && { signsIn: known.signsIn }),
    ...optional("keysAt", known?.keysAt),
  }
  if (!isReady())
    return {
      ...row,
      state: "needs key",
      about: `set ${variables.join(" or ")}, ${known?.signsIn ? "paste a key, or sign in" : "or paste a key"}`,
    }
  if (takesKey && (known !== undefined || !isLoopback(choice.baseUrl)))
    return { ...row, state: "ready", about: [where ?? choice.baseUrl].join(" · ") }
  if (asking === "nobody") return { ...row, state: "ready", about: choice.baseUrl }
  const models = await modelsOf(server, setting, signal)
  if (!models.ok) return { ...row, state: "not running", about: notRunning(server) }
  return { ...row, state: "ready", about: `${countOf(models.value)} at ${choice.baseUrl}` }
}

const notRunning = ({ choice, known }: ServerHere): string =>
  `no server at ${choice.baseUrl}${known?.address === undefined ? "" : `, set ${known.address} for another address`}`

const countOf = ({ length }: readonly string[]): string => (length === 1 ? "1 model" : `${length} models`)

/** Everything behind this provider's name that can hold a conversation. */
export async function modelsFrom(
  name: string,
  setting: StartupContext,
  asking: AskedServers,
  signal: AbortSignal,
): Promise<Result<readonly string[], string>> {
  if (name === anthropicName) return ok(listedModels)
  const servers = serversHere(setting, "terminal")
  const server = servers.ok ? servers.value.find(({ choice }) => choice.name === name) : undefined
  return server && asking === "servers" ? modelsOf(server, setting, signal) : ok([])
}

export async function modelsOf(
  server: ServerHere,
  setting: StartupContext,
  signal: AbortSignal,
): Promise<Result<readonly string[], string>> {
  const { choice } = server
  return inTime(isLoopback(choice.baseUrl) ? localPatienceMs : patienceMs, signal, async (stop) => {
    const asked = await askedServer(server, setting, choice, "/models", stop)
    return asked.ok ? listModels(asked.value, stop) : asked
  })
}

/** With the headers that its requests have. */
export async function askedServer(
  { choice: { who, baseUrl, headers } }: ServerHere,
  setting: StartupContext,
  key: KeySource,
  path: string,
  signal: AbortSignal,
): Promise<Result<AskedServer, string>> {
  const credential = await openCredential(key, systemClock).headers(signal)
  if (!credential.ok) return credential
  const url = `${baseUrl.replace(/\/+$/, "")}${path}`
  const all = { ...credential.value, ...headers }
  return ok({ who, url, headers: all, send: providerRequests(setting) })
}

export async function inTime<T>(
  limitMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const cancel = systemClock.after(limitMs, () => late.abort())
  try {
    return await run(AbortSignal.any([signal, late.signal]))
  } finally {
    cancel()
  }
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
