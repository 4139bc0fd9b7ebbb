/** Requests about settings: what they are, and changes for this session or in a file. */

import { isObject, type JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { ok } from "#lib/result.ts"
import { type Controls, no, type SettingsOverview } from "./control.ts"
import { errorsIn } from "./list-controls.ts"
import { settingsSource } from "./source-names.ts"

export const settingsControls: Controls = {
  async get_settings(_, { session, around, applied }) {
    const [read, { model }, { chosen }] = await Promise.all([
      around.settings(),
      session.ask({ type: "state" }),
      session.ask({ type: "thinking" }),
    ])
    if (!read.ok) return no(read.failure)
    const flags = applied.now()
    return ok({
      effective: around.merged(read.value, flags),
      sources: sourcesIn(read.value, flags),
      applied: { model, effort: chosen.effort ?? null },
      ...optional("errors", errorsIn(read.value)),
    })
  },

  async apply_flag_settings({ settings }, { session, applied }) {
    if (!isObject(settings)) return no("settings must be an object.")
    const { ignored, failures } = await session.ask({ type: "apply_settings", settings })
    if (failures.length > 0) return no(failures.join(" "))
    applied.add(settings)
    return ok({ ignored })
  },

  async update_settings({ source, settings }, { around }) {
    const place = source === "localSettings" || source === "userSettings" ? places[source] : undefined
    if (!place) return no("source must be localSettings or userSettings.")
    if (!isObject(settings)) return no("settings must be an object.")
    const all = Object.entries(settings)
    for (const [key, value] of all) {
      if (key !== place.key) return no(`Only ${place.key} can be written to ${String(source)}, not ${key}.`)
      if (typeof value !== "string") return no(`${key} must be a string.`)
      const saved = await around.save(place.name, key, value)
      if (!saved.ok) return no(saved.failure)
    }
    return ok(undefined)
  },

  /** Nothing here has a colour of its own, so there is nothing to change; unknown ones are refused all the same. */
  async set_color({ color }) {
    if (typeof color === "string" && colors.includes(color)) return ok(undefined)
    return no(`There is no color ${String(color)}. Choose among ${colors.join(", ")}.`)
  },

  /** Nothing is held back while nobody watches. */
  set_has_subscribers: async () => ok(undefined),
}

/** Each file feeds hooks and rules too, so a client may write only what changes neither. */
const places = {
  localSettings: { name: "local settings", key: "outputStyle" },
  userSettings: { name: "user settings", key: "effortLevel" },
} as const

const colors: readonly string[] = ["default", "red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"]

/** Weakest first; what a client has applied belongs to the flags. */
function sourcesIn({ layers }: SettingsOverview, applied: JsonObject): readonly object[] {
  return order.flatMap((source) => {
    const values = layers.flatMap(({ name, value }) => (settingsSource(name) === source ? [value] : []))
    const own = source === "flagSettings" && Object.keys(applied).length > 0 ? [applied, ...values] : values
    const settings = Object.assign({}, ...own.toReversed()) as JsonObject
    return Object.keys(settings).length === 0 ? [] : [{ source, settings }]
  })
}

const order = ["userSettings", "projectSettings", "localSettings", "flagSettings", "policySettings"]
