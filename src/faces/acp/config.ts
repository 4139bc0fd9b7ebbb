/** Mode, model and effort as options that the editor shows and changes. */

import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import type { SessionState } from "#agent/words/state.ts"
import { isEffort, type ThinkingAbility } from "#agent/words/thinking.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import { opFailureWords } from "#session/port/op-failure-words.ts"
import type { SessionAbout, ThinkingOverview } from "#session/port/query.ts"
import type { SessionPort } from "#session/port/session.ts"

export interface SessionConfig {
  readonly about: Pick<SessionAbout, "modeCycle" | "bypassAvailable">
  readonly state: Pick<SessionState, "mode" | "model">
  readonly thinking: ThinkingOverview
  readonly models: readonly ModelRow[]
}

export async function readConfig(session: SessionPort, models: readonly ModelRow[]): Promise<SessionConfig> {
  const [about, state, thinking] = await Promise.all([
    session.ask({ type: "about" }),
    session.ask({ type: "state" }),
    session.ask({ type: "thinking" }),
  ])
  return { about, state, thinking, models }
}

const modes: { readonly [mode in PermissionMode]: { readonly name: string; readonly description: string } } = {
  default: { name: "Ask", description: "Ask before edits and commands" },
  acceptEdits: { name: "Accept edits", description: "Edit files without asking; ask before commands" },
  plan: { name: "Plan", description: "Only read, and propose a plan" },
  delegate: { name: "Delegate", description: "Let the team do the work" },
  dontAsk: { name: "Deny unless allowed", description: "Never ask; deny what no rule allows" },
  auto: { name: "Auto", description: "A model decides what needs no question" },
  bypassPermissions: { name: "Bypass", description: "Run everything without asking" },
}

function offeredModes({ about: { modeCycle, bypassAvailable }, state }: SessionConfig): readonly PermissionMode[] {
  const usual: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "dontAsk"]
  return permissionModes.filter(
    (mode) =>
      usual.includes(mode) ||
      modeCycle.includes(mode) ||
      mode === state.mode ||
      (mode === "bypassPermissions" && bypassAvailable),
  )
}

export const modesOf = (config: SessionConfig): JsonObject => ({
  currentModeId: config.state.mode,
  availableModes: offeredModes(config).map((id) => ({ id, ...modes[id] })),
})

export function configOptions(config: SessionConfig): readonly JsonObject[] {
  const { state, models, thinking } = config
  const efforts = effortsOf(thinking.ability)
  return [
    {
      ...select("mode", "Mode", "What may happen without asking", state.mode),
      category: "mode",
      options: offeredModes(config).map((value) => ({ value, ...modes[value] })),
    },
    {
      ...select("model", "Model", "The model that answers", state.model),
      category: "model",
      options: modelOptions(models, state.model),
    },
    ...(efforts.length === 0
      ? []
      : [
          {
            ...select("effort", "Effort", "How much the model thinks", effortNow(thinking)),
            category: "thought_level",
            options: withNow(efforts, effortNow(thinking)).map((value) => ({ value, name: effortName(value) })),
          },
        ]),
  ]
}

const select = (id: string, name: string, description: string, currentValue: string): JsonObject => ({
  id,
  name,
  description,
  type: "select",
  currentValue,
})

function modelOptions(models: readonly ModelRow[], now: string): readonly JsonObject[] {
  const rows = models.filter(({ needs }) => needs === undefined)
  const known = rows.map(({ id, aliases }) => ({
    value: id,
    name: id,
    ...(aliases.length > 0 && { description: aliases.join(", ") }),
  }))
  return rows.some(({ id }) => id === now) ? known : [{ value: now, name: now }, ...known]
}

function effortsOf(ability: ThinkingAbility | undefined): readonly string[] {
  if (!ability) return []
  return ["auto", ...ability.efforts, ...(ability.stops === "never" ? [] : ["off"])]
}

const withNow = (efforts: readonly string[], now: string): readonly string[] =>
  efforts.includes(now) ? efforts : [...efforts, now]

const effortNow = ({ chosen: { type, effort } }: ThinkingOverview): string =>
  type === "off" ? "off" : (effort ?? "auto")

const effortName = (value: string): string =>
  value === "off" ? "No thinking" : `${value.slice(0, 1).toUpperCase()}${value.slice(1)}`

/** The failure is a sentence for the user. */
export async function setOption(
  session: SessionPort,
  id: string,
  value: string,
  config: SessionConfig,
): Promise<Result<void, string>> {
  switch (id) {
    case "mode": {
      const mode = offeredModes(config).find((one) => one === value)
      return mode === undefined ? failed(`Unknown mode: ${value}`) : submitted(session, { type: "set_mode", mode })
    }
    case "model": {
      const isKnown = modelOptions(config.models, config.state.model).some((one) => one.value === value)
      return isKnown ? submitted(session, { type: "set_model", model: value }) : failed(`Unknown model: ${value}`)
    }
    case "effort":
      return setEffort(session, value, config.thinking)
    default:
      return failed(`Unknown option: ${id}`)
  }
}

async function setEffort(
  session: SessionPort,
  value: string,
  { chosen }: ThinkingOverview,
): Promise<Result<void, string>> {
  if (value === "off") return submitted(session, { type: "set_thinking", to: { ...chosen, type: "off" } })
  if (value !== "auto" && !isEffort(value)) return failed(`Unknown effort: ${value}`)
  if (chosen.type === "off") {
    const on = await submitted(session, { type: "set_thinking", to: { ...chosen, type: "auto" } })
    if (!on.ok) return on
  }
  return submitted(session, { type: "set_effort", effort: value })
}

async function submitted(
  session: SessionPort,
  op: Parameters<SessionPort["submit"]>[0],
): Promise<Result<void, string>> {
  const done = await session.submit(op)
  return done.ok ? ok(undefined) : failed(opFailureWords(done.failure))
}
