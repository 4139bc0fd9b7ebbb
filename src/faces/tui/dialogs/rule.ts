/** A rule that is saved with a yes: its text, and where it is saved, can be changed before. */

import type { Grant, GrantDestination } from "#agent/words/permission.ts"
import { type Editor, emptyEditor, fullText, press } from "#faces/tui/editor/editor.ts"
import type { Key } from "#faces/tui/keys.ts"
import { cyan, dim } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { places } from "#faces/view/consent.ts"
import { nameOf } from "./pressed.ts"
import { wordRows } from "./words.ts"

export interface RuleState {
  readonly words: Editor
  readonly destination: GrantDestination
  /** Empty if the place is chosen elsewhere. */
  readonly destinations: readonly GrantDestination[]
}

export const openRule = (grant: Grant, destinations: readonly GrantDestination[]): RuleState => ({
  words: press(emptyEditor, { kind: "text", text: grant.rule }) ?? emptyEditor,
  destination: grant.destination,
  destinations,
})

export function pressRule(state: RuleState, key: Key): RuleState | Grant | "given up" {
  switch (nameOf(key)) {
    case "escape":
      return "given up"
    case "enter": {
      const rule = fullText(state.words).trim()
      return rule === "" ? state : { rule, destination: state.destination }
    }
    case "tab":
    case "down":
      return { ...state, destination: nextPlace(state, 1) }
    case "shift+tab":
    case "up":
      return { ...state, destination: nextPlace(state, -1) }
    default:
      return { ...state, words: press(state.words, key) ?? state.words }
  }
}

export function nextPlace(
  { destination, destinations }: Pick<RuleState, "destination" | "destinations">,
  by: number,
): GrantDestination {
  return destinations.at((destinations.indexOf(destination) + by) % destinations.length) ?? destination
}

export function ruleRows({ words, destination, destinations }: RuleState, columns: number): string[] {
  const indented = (text: string): string[] => wrapped(text, columns - 5).map((row) => `     ${row}`)
  const saved = destinations.map((place) => (place === destination ? cyan(`[${places[place]}]`) : dim(places[place])))
  return [
    ...wordRows(words, columns),
    ...(isPath(words) ? indented(dim("// starts at the root, ~/ in your home, ./ in this folder")) : []),
    ...(saved.length > 0 ? indented(`${dim("Save to:")} ${saved.join("  ")}`) : []),
  ]
}

const isPath = ({ buffer }: Editor): boolean => /^(?:Read|Edit)\(/.test(buffer.text)

export const ruleHint = "Enter to allow and save · Tab to change where · Esc to go back"
