/** The settings that `/config` shows and changes, and the file that each change goes to. */

import { join } from "node:path"
import { permissionModes } from "#agent/words/permission.ts"
import { themeNames } from "#faces/tui/screen/theme.ts"
import { notificationKinds } from "#faces/tui/attention.ts"
import type { ConfigRow } from "#faces/tui/panels/ports.ts"
import type { SettingsPlace } from "#ground/settings/edit-file.ts"
import { type RuleFile, rulePlace } from "#ground/settings/save.ts"
import { setSetting } from "#ground/settings/set.ts"
import type { JsonValue } from "#lib/json.ts"
import { nearNames } from "#lib/near.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { aligned } from "#lib/rows.ts"
import { numbered } from "#session/slash/rows.ts"
import { tilde } from "#lib/tilde.ts"
import type { SlashAnswer } from "#session/opening/program.ts"
import { type ProgramParts, refused, said } from "./program-parts.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

interface KnownSetting {
  readonly key: string
  readonly title: string
  readonly choices?: readonly string[]
  readonly usual: JsonValue
}

const known: readonly KnownSetting[] = [
  { key: "theme", title: "Theme", choices: themeNames, usual: "like the terminal" },
  { key: "editorMode", title: "Prompt keys", choices: ["normal", "vim"], usual: "normal" },
  { key: "model", title: "Model", usual: "default" },
  { key: "outputStyle", title: "Output style", usual: "default" },
  { key: "notifications", title: "Notifications", choices: notificationKinds, usual: "desktop" },
  { key: "screenReader", title: "Plain lines for screen readers", usual: false },
  { key: "autoCompact", title: "Compact when the context is full", usual: true },
  { key: "permissions.defaultMode", title: "Permission mode at start", choices: permissionModes, usual: "default" },
  { key: "sandbox.enabled", title: "Sandbox for commands", usual: false },
  { key: "plan.enforce", title: "When work goes beyond the plan", choices: ["off", "warn", "pause"], usual: "off" },
  { key: "gates.plan", title: "Always start with a plan", usual: false },
  { key: "gates.git", title: "Ask before git changes something", usual: false },
  { key: "includeCoAuthoredBy", title: "Name the agent in commits", usual: true },
  { key: "cleanupPeriodDays", title: "Days to keep conversations", usual: 30 },
]

export async function configRows(setting: StartupContext): Promise<Result<readonly ConfigRow[], string>> {
  const now = await setting.again()
  if (!now.ok) return failed(now.failure.message)
  const { loaded, home } = now.value
  return ok(
    known.map(({ key, title, choices, usual }) => {
      const { value = usual, from } = loaded.explain(key)
      const [first] = from
      return {
        key,
        title,
        value,
        source: first === undefined ? "default" : first.file === undefined ? first.source : tilde(first.file, home),
        ...(choices && { choices }),
      }
    }),
  )
}

/** Changes a setting where it is set now, or in the user's file; returns the path of that file. */
export async function changeSetting(
  setting: StartupContext,
  key: string,
  value: JsonValue,
): Promise<Result<string, string>> {
  const now = await setting.again()
  if (!now.ok) return failed(now.failure.message)
  const { loaded, home } = now.value
  const place = placeOf(key, now.value)
  const done = setSetting({ ...place, key, value })
  if (!done.ok) return done
  const stronger = loaded.explain(key).from[0]
  const isBeaten = stronger?.file !== undefined && stronger.file !== place.file
  const saved = `Saved ${key} = ${shown(value)} in ${tilde(place.file, home)}.`
  return ok(isBeaten ? `${saved} ${tilde(stronger.file, home)} also sets ${key} and takes precedence.` : saved)
}

/** The file that sets it, if we may write that one; otherwise the user's own. */
function placeOf(key: string, { loaded, cwd: root, state, home }: StartupContext): SettingsPlace {
  const source = loaded.explain(key).from[0]
  const own = writable.find((name) => name === source?.source)
  const place = own && rulePlace(own, { root, state, home })
  return place && place.file === source?.file ? place : { file: join(state, "settings.json") }
}

const writable: readonly RuleFile[] = ["local settings", "project settings", "user settings"]

/** `/config`, `/config theme` and `/config theme light`. */
export async function configAnswer(words: string, { setting }: ProgramParts): Promise<SlashAnswer> {
  const rows = await configRows(setting)
  if (!rows.ok) return refused(rows.failure)
  const [, key = "", text = ""] = /^(\S*)\s*([\s\S]*)$/.exec(words.trim()) ?? []
  if (key === "")
    return {
      ...said([...numbered(rows.value.map(cells)), "", "To change one: /config <key> <value>"].join("\n")),
      choices: rows.value.map((row) => row.key),
    }
  const row = rows.value.find((one) => one.key.toLowerCase() === key.toLowerCase())
  if (!row) {
    const near = nearNames(
      key,
      known.map((one) => one.key),
      1,
    )[0]
    return refused(
      `/config has no setting ${forConsent(key)}. ${near ? `Did you mean ${near}?` : "To change any setting: codewright config set"}`,
    )
  }
  if (text === "") return valuesOf(row)
  const value = valueOf(row, text)
  const changed = value.ok ? await changeSetting(setting, row.key, value.value) : value
  return changed.ok ? said(changed.value) : refused(changed.failure)
}

function valuesOf(row: ConfigRow): SlashAnswer {
  const values = row.choices ?? (typeof row.value === "boolean" ? ["on", "off"] : [])
  const now = aligned([cells(row)])
  if (values.length === 0) return said([...now, `/config ${row.key} <value> changes it.`].join("\n"))
  return {
    ...said([...now, ...numbered(values.map((value) => [value]))].join("\n")),
    choices: values.map((value) => `${row.key} ${value}`),
  }
}

function valueOf({ key, value, choices }: ConfigRow, text: string): Result<JsonValue, string> {
  const typed = text.trim()
  if (choices) {
    const chosen = choices.find((one) => one.toLowerCase() === typed.toLowerCase())
    return chosen === undefined
      ? failed(`${key} is one of ${choices.join(", ")}, not ${forConsent(typed)}.`)
      : ok(chosen)
  }
  if (typeof value === "boolean") {
    if (/^(true|on|yes)$/i.test(typed)) return ok(true)
    return /^(false|off|no)$/i.test(typed) ? ok(false) : failed(`${key} is on or off, not ${forConsent(typed)}.`)
  }
  if (typeof value !== "number") return ok(typed)
  return /^\d+$/.test(typed) ? ok(Number(typed)) : failed(`${key} is a whole number, not ${forConsent(typed)}.`)
}

const cells = ({ key, title, value, source }: ConfigRow): readonly string[] => [
  key,
  forConsent(shown(value)),
  forConsent(source),
  title,
]

const shown = (value: JsonValue): string =>
  typeof value === "string" ? value : typeof value === "boolean" ? (value ? "on" : "off") : JSON.stringify(value)
