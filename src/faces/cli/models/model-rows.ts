/** The models to choose from: of every provider, with who offers each and what it needs. */

import { listedModels } from "#ground/models/anthropic/prices.ts"
import { anthropicName } from "#ground/models/anthropic/releases.ts"
import { isSimulated } from "#ground/models/model-id.ts"
import type { Models } from "#ground/models/router.ts"
import type { ModelsPort } from "#faces/tui/panels/ports.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import { aliasesOf } from "./connect.ts"
import { lazyProviderPanel } from "./lazy-provider-panel.ts"
import { type ServerHere, serversHere } from "./providers.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

/** Those that can be used at once; nobody is asked. */
export function usableModels(
  setting: StartupContext,
  { offered, factsOf, priceOf, refusal }: Models,
): readonly ModelRow[] {
  const aliases = aliasesOf(setting)
  const named = [
    ["default", aliases.main],
    ["opus", aliases.opus],
    ["sonnet", aliases.sonnet],
    ["haiku", aliases.haiku],
  ] as const
  const ids = [...new Set([...named.map(([, id]) => id), ...offered()])].filter((id) => !refusal(id))
  const rows = ids.map((id): ModelRow => {
    const price = isSimulated(id) ? undefined : priceOf(id)
    const own = named.flatMap(([alias, full]) => (full === id ? [alias] : []))
    const { window } = factsOf(id)
    return { id, aliases: own, window, ...(price && { price: { input: price.input, output: price.output } }) }
  })
  if (refusal(aliases.opus) || refusal(aliases.sonnet)) return rows
  const both = `plans with ${aliases.opus}, works with ${aliases.sonnet}`
  return [...rows, { id: "opusplan", aliases: [both], window: factsOf(aliases.sonnet).window }]
}

/** For the panel: also what servers answer, and the models that wait for a key. */
export function modelsPort(setting: StartupContext, models: Models, asking: "servers" | "nobody"): ModelsPort {
  const servers = (): readonly ServerHere[] => {
    const here = serversHere(setting.added.latest() ?? setting, "terminal")
    return here.ok ? here.value : []
  }
  return {
    async list() {
      const here = servers()
      const whoIs = (id: string): string =>
        here.find(({ choice }) => id.startsWith(`${choice.name}/`))?.choice.who ?? "Anthropic"
      const usable = usableModels(setting, models).map((row) =>
        isSimulated(row.id) ? { ...row, who: "Simulator", isPlay: true as const } : { ...row, who: whoIs(row.id) },
      )
      return [...usable, ...waiting(models, here)]
    },
    more(found, signal) {
      if (asking === "nobody") return
      const asked = servers().filter(({ isReady, isWritten, known }) => isReady() && (isWritten || !known?.variantOf))
      for (const server of asked) void modelsAt(server, setting, models, signal).then(found)
    },
    providers: lazyProviderPanel(setting, asking),
  }
}

/** A server that does not answer has one row, which says why; one on this machine that is not running is no news. */
async function modelsAt(
  server: ServerHere,
  setting: StartupContext,
  models: Models,
  signal: AbortSignal,
): Promise<readonly ModelRow[]> {
  const { modelsOf } = await import("./found-providers.ts")
  const { name, who } = server.choice
  const ids = await modelsOf(server, setting, signal)
  if (ids.ok) return ids.value.map((id) => rowOf(`${name}/${id}`, who, models))
  if (server.known?.keys.length === 0) return []
  const words = `${ids.failure} /model ${name}/<model> chooses one by its name.`
  return [{ ...rowOf(`${name}/…`, who, models), needs: { words } }]
}

function rowOf(id: string, who: string, { factsOf, priceOf }: Models): ModelRow {
  const price = priceOf(id)
  return {
    id,
    aliases: [],
    who,
    window: factsOf(id).window,
    ...(price && { price: { input: price.input, output: price.output } }),
  }
}

/** Anthropic's models without a key; one row stands for all models of any other provider, which may be hundreds. */
function waiting(models: Models, servers: readonly ServerHere[]): readonly ModelRow[] {
  const row = (id: string, variables: readonly string[], key: NonNullable<MissingKey>): ModelRow => ({
    id,
    aliases: [],
    who: key.who,
    window: models.factsOf(id).window,
    needs: { words: `needs a key: ${variables.join(" or ")}`, key },
  })
  const anthropic = listedModels
    .filter((id) => models.refusal(id))
    .map((id) => row(id, ["ANTHROPIC_API_KEY"], { name: anthropicName, who: "Anthropic" }))
  const others = servers.flatMap(({ isReady, choice: { name, who }, known, variables }) => {
    if (isReady() || known?.variantOf !== undefined) return []
    return row(`${name}/…`, variables, { name, who, ...(known?.signsIn && { signsIn: known.signsIn }) })
  })
  return [...anthropic, ...others]
}

type MissingKey = NonNullable<ModelRow["needs"]>["key"]
