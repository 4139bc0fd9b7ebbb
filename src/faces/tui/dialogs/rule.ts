/** A rule that is kept with a yes: its words and its place can be changed before. */

import type { Grant, GrantDestination } from "#agent/words/permission.ts"
import { type Editor, emptyEditor, fullText, press } from "#faces/tui/editor/editor.ts"
import type { Key } from "#faces/tui/keys.ts"
import { cyan, dim } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { wordRows } from "./words.ts"

export interface RuleState {
  readonly words: Editor
  readonly destination: GrantDestination
  /** Where it could be kept. */
  readonly destinations: readonly GrantDestination[]
}

export const places: { readonly [destination in GrantDestination]: string } = {
  session: "for this session",
  "local settings": "in this project",
  "project settings": "in this project, for everybody",
  "user settings": "in all projects",
}

export const openRule = (grant: Grant, destinations: readonly GrantDestination[]): RuleState => ({
  words: press(emptyEditor, { kind: "text", text: grant.rule }) ?? emptyEditor,
  destination: grant.destination,
  destinations,
})

/** What a key comes to: another state, a grant, or that it is given up. */
export function pressRule(state: RuleState, key: Key): RuleState | Grant | "given up" {
  const name = key.kind === "key" ? key.name : ""
  switch (name) {
    case "escape":
      return "given up"
    case "enter": {
      const rule = fullText(state.words).trim()
      return rule === "" ? state : { rule, destination: state.destination }
    }
    case "tab":
    case "down":
      return moved(state, 1)
    case "shift+tab":
    case "up":
      return moved(state, -1)
    default:
      return { ...state, words: press(state.words, key) ?? state.words }
  }
}

function moved(state: RuleState, by: number): RuleState {
  const { destination, destinations } = state
  const next = destinations.at((destinations.indexOf(destination) + by) % destinations.length)
  return next === undefined ? state : { ...state, destination: next }
}

export function ruleRows({ words, destination, destinations }: RuleState, columns: number): string[] {
  const kept = destinations.map((place) => (place === destination ? cyan(`[${places[place]}]`) : dim(places[place])))
  if (kept.length === 0) return ["", ...wordRows(words, columns)]
  return ["", ...wordRows(words, columns), ...wrapped(kept.join("  "), columns - 5).map((row) => `     ${row}`)]
}

export const ruleHint = "enter allows it and keeps the rule · tab changes where · esc goes back"
