/** The words that stories about hooks share. */

import type { Entry } from "#agent/words/entry.ts"
import type { JsonObject } from "#lib/json.ts"
import type { TestSession } from "../../kit/open-test-session.ts"

/** One group with one command. */
export const on = (command: string, more: JsonObject = {}, matcher = ""): JsonObject => ({
  matcher,
  hooks: [{ type: "command", command, ...more }],
})

/** A command that prints an answer. The text goes through a quoted here-document, so that it stays as it is. */
export const answers = (answer: JsonObject): string => `cat <<'ANSWER'\n${JSON.stringify(answer)}\nANSWER`

/** The same for what only some events have. */
export const says = (hookEventName: string, specific: JsonObject): string =>
  answers({ hookSpecificOutput: { hookEventName, ...specific } })

/** A command that keeps its input in a file, a line for each time. */
export const keepsInput = (name: string): string => `cat >> "$CLAUDE_PROJECT_DIR/../${name}"`

export const inputs = (t: TestSession, name: string): readonly JsonObject[] =>
  t
    .read(`../${name}`)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject)

export type HookEntry = Entry & { readonly kind: "hook" }

export const hookRuns = (t: TestSession): readonly HookEntry[] =>
  t.entries().filter((entry): entry is HookEntry => entry.kind === "hook")

/** Hooks, what was decided, and how the turn ended, in short. */
export const hookStory = (t: TestSession): readonly string[] =>
  t.story().filter((line) => /^(hook|decision|prompt|turn_end|notice|queued|title)/.test(line))

/** What the last request says, whatever its shape. */
export const lastRequest = (t: TestSession): string => JSON.stringify(t.requests().at(-1))
