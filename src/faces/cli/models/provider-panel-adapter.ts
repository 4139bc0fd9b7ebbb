/** What the panels about providers show and change. */

import { join } from "node:path"
import { checkKey } from "#ground/models/ask-server.ts"
import { openSignIn } from "#ground/models/sign-in.ts"
import { setSetting } from "#ground/settings/set.ts"
import type { KeyKept } from "#faces/tui/panels/key.ts"
import type { AddedServer, ProvidersPort, SignInPort } from "#faces/tui/panels/provider-panel-port.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type AskedServers, foundProviders, inTime, modelsFrom } from "./found-providers.ts"
import { providerRequests } from "./provider-requests.ts"
import { forgetKeptKey, keepTestedKey, keyTarget } from "./keep-key.ts"
import { browserPlace, openInBrowser } from "#faces/cli/terminal/open-browser.ts"
import { serversHere } from "./providers.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

/** The settings are read again where a panel may have changed them. */
export function providerPanelAdapter(first: StartupContext, asking: AskedServers): ProvidersPort {
  const now = (): StartupContext => first.added.latest() ?? first
  const keep: ProvidersPort["keep"] = async (name, key, wish, signal) => {
    const target = keyTarget(now(), name)
    return target.ok
      ? keepTestedKey(now(), target.value, key, wish, signal)
      : { kind: "rejected", message: target.failure }
  }
  return {
    list: (signal) => foundProviders(now(), asking, signal),
    keep,
    async forget(name) {
      const target = keyTarget(now(), name)
      return target.ok ? forgetKeptKey(now(), target.value) : target
    },
    models: (name, signal) => modelsFrom(name, now(), asking, signal),
    signIn: async (name) => signInPort(name, now(), keep),
    async add(address, signal) {
      const added = await addServer(address, now(), signal)
      const again = added.ok ? await first.again() : undefined
      if (again?.ok) first.added.add(again.value)
      return added
    },
  }
}

function signInPort(name: string, setting: StartupContext, keep: ProvidersPort["keep"]): SignInPort {
  const target = keyTarget(setting, name)
  const server = target.ok ? target.value : undefined
  const place = browserPlace(setting.loaded.env)
  const { url, waitForBrowser, exchangeCode } = openSignIn({
    who: server?.choice.who ?? name,
    baseUrl: server?.choice.baseUrl ?? "",
    code: place === "elsewhere" ? "pasted" : "here",
    ids: systemIds,
    clock: systemClock,
    send: providerRequests(setting),
  })
  // Asks the terminal to copy it, which also works from another machine.
  process.stdout.write(`\u001b]52;c;${Buffer.from(url).toString("base64")}\u0007`)
  const isOpened = place === "here" && openInBrowser(url, setting.loaded.env)
  /** It was made for us just now, so it is kept even if it cannot be tested. */
  const kept = async (key: Result<string, string>, signal: AbortSignal): Promise<KeyKept> => {
    if (!key.ok) return { kind: "rejected", message: key.failure }
    const first = await keep(name, key.value, "tested", signal)
    return first.kind === "untested" ? keep(name, key.value, "untested", signal) : first
  }
  return {
    url,
    how: place === "elsewhere" ? "pastes" : isOpened ? "opened" : "comes back",
    async came(signal) {
      const key = await waitForBrowser(signal)
      return key && kept(key, signal)
    },
    exchangeCode: async (pasted, signal) => kept(await exchangeCode(pasted, signal), signal),
  }
}

const patienceMs = 8_000

/** Saved only if a model server answers there; one that wants a key counts. */
async function addServer(
  address: string,
  setting: StartupContext,
  signal: AbortSignal,
): Promise<Result<AddedServer, string>> {
  const baseUrl = wholeAddress(address)
  if (baseUrl === undefined)
    return failed(`That is not an address: ${address}. Write it like http://127.0.0.1:8000/v1.`)
  const servers = serversHere(setting, "terminal")
  if (!servers.ok) return servers
  const known = servers.value.find(({ choice }) => choice.baseUrl.replace(/\/+$/, "") === baseUrl)
  const name =
    known?.choice.name ??
    freeName(
      baseUrl,
      servers.value.map(({ choice }) => choice.name),
    )
  const asked = { who: new URL(baseUrl).host, url: `${baseUrl}/models`, headers: {}, send: providerRequests(setting) }
  const verdict = await inTime(patienceMs, signal, (stop) => checkKey(asked, stop))
  const needsKey = verdict.kind === "rejected"
  if (verdict.kind !== "accepted" && !needsKey) return failed(verdict.message)
  if (!known) {
    const file = join(setting.state, "settings.json")
    const saved = setSetting({ file, key: `providers.${name}.baseUrl`, value: baseUrl })
    if (!saved.ok) return saved
  }
  return ok({ name, needsKey, message: `Saved ${baseUrl} as the provider ${name}.` })
}

/** With a scheme and a path, as users seldom write them. */
function wholeAddress(written: string): string | undefined {
  const text = written.trim()
  if (text === "" || /\s/.test(text)) return undefined
  const url = /^https?:\/\//i.test(text) ? text : `http://${text}`
  if (!URL.canParse(url)) return undefined
  const { origin, pathname, username, password } = new URL(url)
  if (username !== "" || password !== "") return undefined
  return `${origin}${pathname === "/" ? "/v1" : pathname.replace(/\/+$/, "")}`
}

/** After its host, in letters that the name of a provider and of a setting can have. */
function freeName(baseUrl: string, taken: readonly string[]): string {
  const { hostname, port } = new URL(baseUrl)
  const host = `${hostname}${port === "" ? "" : `-${port}`}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
  const name = host.replaceAll(/^-+|-+$/g, "")
  const first = /^[a-z]/.test(name) ? name : `server-${name}`
  const others = Array.from({ length: taken.length }, (_, i) => `${first}-${i + 2}`)
  return [first, ...others].find((one) => !taken.includes(one)) ?? first
}
