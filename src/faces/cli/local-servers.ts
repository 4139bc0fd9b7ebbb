/** Model servers that answer on this machine, at the ports they usually have. */

import type { LocalServer } from "#faces/tui/first-run/ports.ts"
import { systemClock } from "#lib/clock.ts"
import type { FetchInit, Network } from "#lib/network.ts"

const usual: readonly { readonly name: string; readonly port: number }[] = [
  { name: "Ollama", port: 11434 },
  { name: "LM Studio", port: 1234 },
  { name: "llama.cpp", port: 8080 },
]

/** A running server answers at once; nobody should wait for one that is not there. */
const patienceMs = 150

export async function localServers(
  network: Network,
  signal: AbortSignal,
  places: typeof usual = usual,
): Promise<readonly LocalServer[]> {
  const ask = asking(network)
  const found = await Promise.all(
    places.map(({ name, port }) => probe(name, `http://127.0.0.1:${port}`, (path, init) => ask(path, init, signal))),
  )
  return found.filter((server) => server !== undefined)
}

async function probe(
  name: string,
  url: string,
  ask: (url: string, init: FetchInit) => Promise<Response | undefined>,
): Promise<LocalServer | undefined> {
  const models = await ask(`${url}/v1/models`, { method: "GET" })
  if (!models?.ok) return undefined
  const list: unknown = await models.json().catch(() => undefined)
  const ids = idsIn(list)
  if (!ids) return undefined
  // An empty request is refused by whoever speaks the protocol, and not found by whoever does not.
  const messages = await ask(`${url}/v1/messages`, { method: "POST", body: "{}" })
  const speaks = messages !== undefined && messages.status !== 404 && messages.status !== 405
  return {
    name,
    url,
    models: ids,
    ...(!speaks && { unfit: `${name} does not speak the Anthropic protocol. A newer version may.` }),
  }
}

const asking =
  (network: Network) =>
  async (url: string, init: FetchInit, signal: AbortSignal): Promise<Response | undefined> => {
    const late = new AbortController()
    const cancel = systemClock.after(patienceMs, () => late.abort())
    try {
      return await network.fetch({ why: "server", chosenBy: "user" }, url, {
        ...init,
        headers: { "content-type": "application/json" },
        redirect: "error",
        signal: AbortSignal.any([signal, late.signal]),
      })
    } catch {
      return undefined
    } finally {
      cancel()
    }
  }

function idsIn(value: unknown): readonly string[] | undefined {
  if (typeof value !== "object" || value === null || !("data" in value) || !Array.isArray(value.data)) return undefined
  return value.data.flatMap((model: unknown) =>
    typeof model === "object" && model !== null && "id" in model && typeof model.id === "string" ? [model.id] : [],
  )
}
