/** Finds text in the repository and shows where it is. */

import { act, finish, missing, outcomeOf, stopAt, type DemoCall, type Move } from "./move.ts"
import type { Story } from "./story.ts"

const mostShown = 20

/** Undefined when the task is not a search. */
export function wantedText(task: string): string | undefined {
  const asked =
    /\b(?:find|search(?:\s+for)?|look\s+for|grep(?:\s+for)?|where(?:'s|\s+(?:is|are|do|does))?)\s+(.+)/is.exec(
      task,
    )?.[1]
  if (asked === undefined) return undefined
  const quoted = /["'`“]([^"'`”]+)["'`”]/.exec(asked)?.[1]
  const plain = asked
    .split("\n", 1)[0]
    ?.replace(
      /^(?:(?:the|all|every|any|we|you|uses?|usages?|occurrences?|mentions?|of|text|word|function|class|symbol)\s+)+/i,
      "",
    )
    .replace(
      /\s+(?:(?:is|are|gets?|being)\s+)?(?:defined|used|declared|called|implemented|mentioned|in\s+(?:the|this)\b.*)\b.*$/i,
      "",
    )
    .replace(/[?.!\s]+$/, "")
  return (quoted ?? plain)?.trim() || undefined
}

export function findText(story: Story, wanted: string): Move {
  const call: DemoCall = {
    tool: "Grep",
    input: { pattern: escapePattern(wanted), output_mode: "content", "-n": true },
  }
  if (!story.offers("Grep")) return missing("Grep", "search")
  const done = outcomeOf(story, call)
  if (done === undefined) return act(`Searching for \`${wanted}\`.`, call)
  if (done.failed) return stopAt(done)
  const hits = done.result.split("\n").filter((line) => /^[^\s:][^:]*:\d+[:-]/.test(line))
  if (hits.length === 0) return finish(`\`${wanted}\` occurs nowhere in this folder.`)
  const files = new Set(hits.map((line) => line.split(":", 1)[0]))
  const more = hits.length > mostShown ? `\n... and ${hits.length - mostShown} more.` : ""
  const lines = hits.length === 1 ? "one line" : `${hits.length} lines`
  return finish(
    `\`${wanted}\` stands on ${lines} in ${files.size === 1 ? "one file" : `${files.size} files`}:\n\n\`\`\`\n${hits.slice(0, mostShown).join("\n")}\n\`\`\`${more}`,
  )
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")
