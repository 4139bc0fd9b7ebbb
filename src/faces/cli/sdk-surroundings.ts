/** The program around a session that a client drives: settings files, and files by name. */

import { join } from "node:path"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { mergeLayers } from "#ground/settings/merge.ts"
import { rulePlace } from "#ground/settings/save.ts"
import type { Around } from "#faces/headless/sdk/control.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import type { StartupContext } from "./startup-context.ts"

/** `folders`: the added ones, as they are now. */
export function aroundSession(setting: StartupContext, folders: () => Promise<readonly string[]>): Around {
  const { cwd, state, home, loaded, loading } = setting
  /** Kept from letter to letter, as its list is, until other folders are added. */
  let finder: { readonly added: string; readonly find: Around["findFiles"] } | undefined
  async function findFiles(letters: string, signal: AbortSignal): Promise<readonly string[]> {
    const { openFileFinder, suggestionCommand } = await import("./terminal/find-files.ts")
    const { respectGitignore, fileSuggestion } = loaded.settings
    const added = await folders()
    if (finder?.added !== added.join("\0")) {
      const find = openFileFinder({
        folder: cwd,
        cacheFolder: join(state, "cache"),
        home,
        added,
        ignored: respectGitignore === false ? "all" : "hidden",
        command: setting.trusted ? suggestionCommand(fileSuggestion) : undefined,
        env: () => childEnvironment(loaded.env),
      })
      finder = { added: added.join("\0"), find }
    }
    return finder.find(letters, signal)
  }
  return {
    async settings() {
      const read = await setting.again()
      if (!read.ok) return failed(read.failure.message)
      const { layers, problems, folders: named } = read.value.loaded
      return ok({
        layers: layers.map(({ name, value }) => ({ name, value })),
        problems: problems.map(({ file, message }) => ({ file, message })),
        folders: named,
      })
    },
    merged({ layers }, applied): JsonObject {
      const isManaged = ({ name }: { readonly name: string }): boolean => name === "managed"
      const values = (all: readonly { readonly value: JsonObject }[]): JsonObject[] => all.map(({ value }) => value)
      return mergeLayers([
        ...values(layers.filter(isManaged)),
        applied,
        ...values(layers.filter((layer) => !isManaged(layer))),
      ])
    },
    findFiles,
    async save(place, key, value) {
      const source = place === "local settings" ? "local" : "user"
      if (loading.settings && !loading.settings.includes(source))
        return failed(`This run does not read the ${place}, so they are not changed.`)
      const { setSetting } = await import("#ground/settings/set.ts")
      return setSetting({ ...rulePlace(place, { root: cwd, state, home }), key, value })
    },
  }
}
