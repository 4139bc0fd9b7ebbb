/** The rows around the prompt: what it does now, what waits, and where one is. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { Status } from "#faces/tui/state.ts"
import { dim, green, magenta, red, yellow } from "#faces/tui/screen/style.ts"
import { beside, fitted, wrapped } from "#faces/tui/screen/width.ts"
import type { Item } from "#faces/view/item.ts"
import type { View, Working } from "#faces/view/view.ts"
import { printable } from "#lib/printable.ts"
import { costText, durationText, tokensText } from "./numbers.ts"
import { bared } from "./safe.ts"

const frames: readonly string[] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const frameMs = 150

/** What it does, for how long, how much came, and how to stop it. */
export function spinnerRows(view: View, now: number, columns: number): string[] {
  const { working } = view
  if (!working) return []
  const retry = working.retry
  if (retry) {
    const wait = `Trying again in ${Math.ceil(retry.delayMs / 1000)} s (${retry.attempt} of ${retry.of - 1}).`
    return ["", ...wrapped(`! ${printable(retry.failure.message)} ${wait} Esc interrupts.`, columns).map(yellow)]
  }
  const elapsed = now - working.since
  const frame = frames[Math.floor(elapsed / frameMs) % frames.length] ?? ""
  const figures = [durationText(elapsed), tokensText(tokensOf(working)), "esc interrupts"].join(" · ")
  return ["", fitted(`${magenta(frame)} ${verbOf(view.items)} ${dim(figures)}`, columns)]
}

/** Until the provider says how many there were. */
const charactersPerToken = 4

const tokensOf = ({ outputTokens, received }: Working): number =>
  outputTokens + Math.ceil(received / charactersPerToken)

function verbOf(items: readonly Item[]): string {
  if (items.some((item) => item.kind === "call" && item.state === "running")) return "Working"
  const last = items.at(-1)
  if (last?.kind === "text") return "Answering"
  return "Thinking"
}

/** What was said while it works and waits to be heard. */
export function queueRows(texts: readonly string[], columns: number): string[] {
  const shown = texts.slice(0, 3).map((text) => dim(fitted(`+ ${bared(text.split("\n", 1)[0] ?? "")}`, columns)))
  return texts.length > 3 ? [...shown, dim(`  and ${texts.length - 3} more`)] : shown
}

const modeColours: { readonly [mode in PermissionMode]: (text: string) => string } = {
  default: dim,
  acceptEdits: green,
  plan: magenta,
  dontAsk: yellow,
  auto: yellow,
  bypassPermissions: red,
}

const modeNames: { readonly [mode in PermissionMode]: string } = {
  default: "asks first",
  acceptEdits: "edits freely",
  plan: "plans only",
  dontAsk: "never asks",
  auto: "decides itself",
  bypassPermissions: "all permitted",
}

export function statusRow({ session, window, branch }: Status, right: string, columns: number): string {
  const used = session.contextTokens > 0 ? [`${Math.round((session.contextTokens / window) * 100)}% context`] : []
  const cost = session.costUsd > 0 ? [costText(session.costUsd)] : []
  const where = branch === undefined ? [] : [bared(branch)]
  const rest = dim([bared(session.model), ...used, ...cost, ...where].join(" · "))
  return beside(`${modeColours[session.mode](modeNames[session.mode])} ${dim("·")} ${rest}`, dim(right), columns)
}
