/** What is known of models: the user's models.json, then the table that ships with the program. */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { bundledModels } from "#ground/bundled/model-table.ts"
import {
  type ModelTable,
  merged,
  noModels,
  type ProviderModels,
  readModelTable,
  readProviderModels,
} from "#ground/models/model-table.ts"
import { isMissing } from "#lib/error-code.ts"
import { lazily } from "#lib/lazily.ts"
import { onceEach } from "#lib/once-each.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface KnownModels {
  /** The day of the oldest of the table's facts and prices. */
  readonly date: () => string
  readonly of: (provider: string) => ProviderModels
}

/** The user's file is read at once, since its errors must be said; the table when one of its models is asked for. */
export function openKnownModels({ state }: Pick<StartupContext, "state">): Result<KnownModels, string> {
  const own = readOwn(join(state, "models.json"))
  if (!own.ok) return own
  const table = lazily(bundledModels)
  const { providers } = own.value
  return ok({
    date: () => table().date,
    of: onceEach((name) => {
      // The same models over another API.
      const section = table().of(name === "openai-chat" ? "openai" : name)
      const shipped = section === undefined ? ok(noModels) : readProviderModels(section, name)
      const said = Object.hasOwn(providers, name) ? providers[name] : undefined
      return merged(said ?? noModels, shipped.ok ? shipped.value : noModels)
    }),
  })
}

function readOwn(path: string): Result<ModelTable, string> {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    if (isMissing(error)) return ok({ providers: {} })
    return failed(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    const value: unknown = JSON.parse(text)
    const read = readModelTable(value, path)
    if (!read.ok) return read
    return Object.hasOwn(read.value.providers, "anthropic")
      ? failed(`${path}: providers.anthropic cannot be set here. For its prices, use the setting providers.prices.`)
      : read
  } catch (error) {
    return failed(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}
