/** A scripted model that makes one note in a file of its own, whatever happens to whoever runs it. */

import type { ScenarioFunction } from "#sim/scenario.ts"

export const notePrompt = (nth: number): string => `Make note ${nth}.`

export const lastText = "The note is dealt with."

export const noteTaker: ScenarioFunction = ({ messages }) => {
  const text = JSON.stringify(messages)
  const [, nth = "0"] = /Make note (\d+)\./.exec(text) ?? []
  // Nothing has happened if its worker ended before that.
  const isDealtWith =
    text.includes('"tool_result"') && !text.slice(text.lastIndexOf('"tool_result"')).includes("Not run: ")
  if (isDealtWith) return { content: lastText }
  return { content: [{ tool: "Bash", input: { command: `echo once >> note-${nth}.txt` } }] }
}
