/** Tests a key with a request that costs nothing, and keeps it for its provider. */

import { join } from "node:path"
import { checkAnthropicKey } from "#ground/models/anthropic/check-key.ts"
import { anthropicName } from "#ground/models/anthropic/releases.ts"
import { checkKey, type KeyVerdict } from "#ground/models/ask-server.ts"
import { isSimulated } from "#ground/models/model-id.ts"
import { forgetKey, keepKey, keptNames } from "#ground/settings/kept-key.ts"
import { setSetting } from "#ground/settings/set.ts"
import type { KeyKept } from "#faces/tui/panels/key.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { askedServer, cloudRows, inTime } from "./found-providers.ts"
import { providerRequests } from "./provider-requests.ts"
import { keyInUse, keyPlace } from "./key-in-use.ts"
import { type ServerHere, serversHere } from "./providers.ts"
import { keyWhere } from "#faces/cli/fleet/server-key.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { startedAs } from "#faces/cli/started-as.ts"

/** Undefined for Anthropic. */
export type KeyTarget = ServerHere | undefined

/** The provider of a name that can have a key, or why there is none. */
export function keyTarget(setting: StartupContext, name: string): Result<KeyTarget, string> {
  if (name === anthropicName) return ok(undefined)
  const servers = serversHere(setting, "terminal")
  if (!servers.ok) return servers
  const server = servers.value.find(({ choice }) => choice.name === name)
  if (server?.known?.keys.length === 0)
    return failed(`${server.choice.who} needs no key. Choose one of its models with --model ${name}/<model>.`)
  if (server) return ok(server)
  const cloud = cloudRows(setting).find((row) => row.name === name)
  if (cloud) return failed(`${cloud.who} takes no key here: ${cloud.about}.`)
  const names = servers.value.flatMap(({ choice, known }) => (known?.keys.length === 0 ? [] : [choice.name]))
  return failed(`There is no provider of that name. Known: ${[anthropicName, ...names].join(", ")}.`)
}

export async function keepTestedKey(
  setting: StartupContext,
  target: KeyTarget,
  key: string,
  wish: "tested" | "untested",
  signal: AbortSignal,
): Promise<KeyKept> {
  const verdict =
    wish === "tested" ? await inTime(patienceMs, signal, (stop) => tested(setting, target, key, stop)) : undefined
  if (verdict?.kind === "rejected") return { kind: "rejected", message: verdict.message }
  // A key without credit is a good key.
  if (verdict && verdict.kind !== "accepted" && verdict.kind !== "no_credit")
    return { kind: "untested", message: verdict.message }
  const owner = target && { name: target.choice.name, baseUrl: target.choice.baseUrl }
  const kept = keepKey(setting.state, key, owner)
  if (!kept.ok) return { kind: "rejected", message: kept.failure }
  const said = [
    ...(verdict === undefined ? [] : [verdictWords(verdict, target?.choice.who ?? "Anthropic")]),
    `Saved to ${keyPlace(setting)}.`,
    ...(target ? otherKey(target, setting) : [...keyInUse(setting).notes, ...leaveSimulator(setting)]),
  ]
  return { kind: "kept", message: said.join(" ") }
}

const patienceMs = 10_000

async function tested(
  setting: StartupContext,
  target: KeyTarget,
  key: string,
  signal: AbortSignal,
): Promise<KeyVerdict> {
  if (!target) return checkAnthropicKey({ "x-api-key": key }, signal, providerRequests(setting))
  const { readKey: _readKey, ...choice } = target.choice
  const asked = await askedServer(
    target,
    setting,
    { ...choice, apiKey: key },
    target.known?.keyPath ?? "/models",
    signal,
  )
  return asked.ok ? checkKey(asked.value, signal) : { kind: "unknown", message: `${asked.failure}.` }
}

const verdictWords = (verdict: KeyVerdict, who: string): string =>
  verdict.kind === "accepted" ? `${who} accepted the key.` : `${verdict.message} Add credit there before you use it.`

function otherKey(target: ServerHere, setting: StartupContext): readonly string[] {
  const used = target.key()
  return used.source === "saved" || used.source === "none"
    ? []
    : [`It is not used yet: the ${keyWhere(used, setting) ?? "key"} takes precedence.`]
}

export function forgetKeptKey(setting: StartupContext, target: KeyTarget): Result<string, string> {
  const done = forgetKey(setting.state, target?.choice.name)
  if (!done.ok) return done
  const whose = target ? ` for ${target.choice.who}` : ""
  const first =
    done.value === "removed"
      ? `Removed the key${whose || " for Anthropic"} from ${keyPlace(setting)}.`
      : `There is no saved key${whose} in ${keyPlace(setting)}.`
  const still = target ? keyWhere(target.key(), setting) : stillUsed(setting)
  return ok(still === undefined ? first : `${first} The ${still} is still used.`)
}

/** Without a name it is Anthropic's key, or the only one there is. */
export function loggedOut(setting: StartupContext, named: string | undefined): Result<string, string> {
  const kept = keptNames(setting.state)
  const [only] = kept
  if (named === undefined && only !== undefined && !kept.includes(anthropicName) && kept.length > 1)
    return failed(
      `${keyPlace(setting)} has keys for ${kept.join(", ")}. Name one: ${startedAs(setting.home)} logout ${only}`,
    )
  const name = named ?? (kept.includes(anthropicName) ? anthropicName : (only ?? anthropicName))
  const target = keyTarget(setting, name)
  // A key may have outlived its provider in the settings.
  if (!target.ok && !kept.includes(name)) return target
  const done = target.ok ? forgetKeptKey(setting, target.value) : forgetOrphan(setting, name)
  const left = keptNames(setting.state)
  return done.ok && left.length > 0 ? ok(`${done.value} Still saved: ${left.join(", ")}.`) : done
}

function forgetOrphan(setting: StartupContext, name: string): Result<string, string> {
  const done = forgetKey(setting.state, name)
  return done.ok ? ok(`Removed the key for ${name} from ${keyPlace(setting)}.`) : done
}

function stillUsed(setting: StartupContext): string | undefined {
  const { source, which } = keyInUse(setting)
  return source === "none" ? undefined : which.replace(/^The /, "")
}

/** After a login the next start uses the real model, not the simulator that the first run offered. */
function leaveSimulator({ state, loaded }: StartupContext): readonly string[] {
  const file = join(state, "settings.json")
  const value = loaded.explain("model").from.find((one) => one.file === file)?.value
  if (typeof value !== "string" || !isSimulated(value)) return []
  const done = setSetting({ file, key: "model", value: "default" })
  return done.ok ? ["The model is now default instead of the simulator."] : [done.failure]
}
