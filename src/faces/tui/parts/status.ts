/** The rows around the prompt: what it does now, what waits, and where one is. */

import type { ChoreName } from "#agent/words/event.ts"
import { modeNames } from "#agent/words/mode-names.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { type Thinking, thinkingText } from "#agent/words/thinking.ts"
import type { Status } from "#faces/tui/state.ts"
import { dim, green, magenta, red, yellow } from "#faces/tui/screen/style.ts"
import { beside, fitted, wrapped } from "#faces/tui/screen/width.ts"
import type { Item } from "#faces/view/item.ts"
import type { View, Working } from "#faces/view/view.ts"
import { workedMs } from "#faces/view/waiting.ts"
import type { SandboxState } from "#session/port/query.ts"
import { never } from "#lib/never.ts"
import { hangingIndent } from "./hanging-indent.ts"
import { forConsent, forReading } from "#lib/printable.ts"
import { costText, durationText, tokensText } from "#lib/figures.ts"

const frames: readonly string[] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameMs = 150

export function spinnerRows(
  view: View,
  retryAt: number,
  now: number,
  columns: number,
  verbs: readonly string[] = [],
): string[] {
  const { working, chore } = view
  if (!working) return chore ? ["", spinnerRow(now, choreWords(chore), choreFigures(retryAt, now), columns)] : []
  const retry = working.retry
  if (retry) {
    const left = Math.max(0, Math.ceil((retryAt - now) / 1000))
    const wait = `${left === 0 ? "Retrying now" : `Retrying in ${left} s`} (${retry.attempt} of ${retry.of - 1}).`
    return [
      "",
      ...hangingIndent(
        yellow("▲"),
        wrapped(`${forReading(retry.failure.message)} ${wait} Esc to interrupt.`, columns - 2).map(yellow),
      ),
    ]
  }
  const elapsed = workedMs(working, now)
  // One for the whole turn: words that change would draw the eye.
  const own = verbs[Math.floor(working.since) % Math.max(1, verbs.length)]
  const status = view.hookStatus.at(-1)
  const verb = status !== undefined ? forConsent(status) : own === undefined ? verbOf(view.items) : forConsent(own)
  const figures = [durationText(elapsed), tokensText(tokensOf(working)), "Esc to interrupt"].join(" · ")
  return ["", spinnerRow(elapsed, chore ? choreWords(chore) : verb, figures, columns)]
}

function spinnerRow(elapsed: number, verb: string, figures: string, columns: number): string {
  const frame = frames[Math.floor(elapsed / frameMs) % frames.length] ?? ""
  return fitted(`${magenta(frame)} ${verb} ${dim(figures)}`, columns)
}

const choreFigures = (retryAt: number, now: number): string =>
  retryAt > now
    ? `· no answer from the model; retrying in ${Math.ceil((retryAt - now) / 1000)} s · Esc to interrupt`
    : "· Esc to interrupt"

function choreWords(name: ChoreName): string {
  switch (name) {
    case "rewind":
      return "Rewinding"
    case "review":
      return "Changing files"
    case "redo":
      return "Undoing the rewind"
    case "switch":
      return "Switching branches"
    case "clear":
      return "Starting a new conversation"
    case "compact":
      return "Compacting"
    case "uncompact":
      return "Restoring the full conversation"
    case "set_style":
      return "Saving"
    case "shell":
      return "Running your command"
    default:
      return never(name)
  }
}

/** Until the provider reports tokens. */
const charactersPerToken = 4

const tokensOf = ({ outputTokens, received }: Working): number =>
  outputTokens + Math.ceil(received / charactersPerToken)

function verbOf(items: readonly Item[]): string {
  if (items.some((item) => item.kind === "call" && item.state === "running")) return "Working"
  const last = items.at(-1)
  if (last?.kind === "text") return "Answering"
  return "Thinking"
}

const mostQueued = 6

export function queueRows(texts: readonly string[], columns: number): string[] {
  if (texts.length === 0) return []
  const shown = texts.slice(0, mostQueued).map((text) => dim(fitted(`+ ${queuedWords(text)}`, columns)))
  const rest = texts.length - shown.length
  const more = rest > 0 ? `… ${rest} more · ` : ""
  return [...shown, dim(fitted(`  ${more}Queued · ↑ to edit the last · Esc to stop and edit all`, columns))]
}

function queuedWords(text: string): string {
  const [first = "", ...rest] = text.split("\n")
  return rest.length === 0
    ? forConsent(first)
    : `${forConsent(first)} (+${rest.length} ${rest.length === 1 ? "line" : "lines"})`
}

const modeColours: { readonly [mode in PermissionMode]: (text: string) => string } = {
  default: dim,
  acceptEdits: green,
  plan: magenta,
  delegate: magenta,
  dontAsk: yellow,
  auto: yellow,
  bypassPermissions: red,
}

/** `standing`: what the session does by itself. */
export function statusRow(status: Status, right: string, columns: number, standing: readonly string[] = []): string {
  const { session, branch, background, selected } = status
  const used = session.contextTokens > 0 ? [contextWords(status)] : []
  const figures = [
    ...(session.costUsd > 0 ? [costText(session.costUsd)] : []),
    ...(background > 0 ? [`${background} background ${background === 1 ? "task" : "tasks"}`] : []),
    ...(branch === undefined ? [] : [forConsent(branch)]),
    ...(selected === undefined ? [] : [`⧉ ${forConsent(selected)}`]),
  ]
  const mode = modeColours[session.mode](modeNames[session.mode])
  const parts = [
    mode,
    ...sandboxWords(status.sandbox),
    dim(forConsent(session.model)),
    ...thinkingWords(session.thinking),
    ...standing.map((words) => magenta(forConsent(words))),
    ...used,
  ]
  return beside([...parts, ...figures.map(dim)].join(dim(" · ")), dim(right), columns)
}

function thinkingWords(thinking: Thinking): readonly string[] {
  const text = thinkingText(thinking)
  return text === "" ? [] : [dim(text)]
}

function sandboxWords(sandbox: SandboxState): readonly string[] {
  switch (sandbox) {
    case "off":
      return []
    case "on":
      return [dim("sandbox")]
    case "auto":
      return [green("sandbox: auto")]
    case "broken":
      return [red("sandbox broken")]
  }
}

/** After the warning it says what is left, not what is used. */
function contextWords(status: Status): string {
  const { session, window, levels } = status
  if (!isNearlyFull(status)) return dim(`${percent(session.contextTokens, window)} of context used`)
  return yellow(leftWords(status, levels.compactsAt ?? window))
}

const leftWords = ({ session, window, levels }: Status, until: number): string =>
  `${percent(Math.max(0, until - session.contextTokens), window)} ${levels.compactsAt === undefined ? "of context left" : "until auto-compact"}`

const percent = (part: number, whole: number): string => `${Math.round((part / whole) * 100)}%`

const isNearlyFull = ({ session, levels }: Status): boolean => session.contextTokens >= levels.warning

/** Shown while there is still time to do something about it. */
export function fullRows(status: Status, columns: number): string[] {
  if (!isNearlyFull(status)) return []
  const used = `${percent(status.session.contextTokens, status.window)} of context used`
  const next = status.levels.compactsAt === undefined ? "" : `, ${leftWords(status, status.levels.compactsAt)}`
  const words = `▲ ${used}${next}. /compact to summarize the conversation, /clear to start a new one.`
  return wrapped(words, columns - 2).map((row, i) => yellow(i === 0 ? row : `  ${row}`))
}
