/** The first prompt of a session: typed as arguments, piped in, or an agent's own. */

import { goalCheck, goalPrompt } from "#agent/words/goal.ts"
import { type PromptOrigin, typedPart } from "#agent/words/origin.ts"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Started } from "#faces/cli/sessions/started.ts"
import type { Arguments } from "./argv.ts"
import type { FlagName } from "./flags.ts"
import { readStdin } from "./standard-input.ts"

export interface Prompt {
  readonly text: string
  readonly origin?: PromptOrigin
}

/** Text from a file was not typed, so it cannot have files read by mentioning them. */
export const withInitial = (initial: string | undefined, { text, origin }: Prompt): Prompt =>
  initial === undefined
    ? { text, ...optional("origin", origin) }
    : {
        text: [initial, text].filter((part) => part !== "").join("\n\n"),
        origin: { kind: "piped", words: typedPart(text, origin) },
      }

/** Sends the agent's own prompt with the first one, and returns what is left for the face to send. */
export async function sendInitial({ session, initialPrompt }: Started, prompt: Prompt): Promise<string> {
  if (initialPrompt === undefined) return prompt.text
  const { text, origin } = withInitial(initialPrompt, prompt)
  await session.submit({
    type: "prompt",
    content: [{ type: "text", text }],
    when: "queue",
    ...optional("origin", origin),
  })
  return ""
}

/** A goal is a task, too. */
export function typedPrompt(args: Arguments<FlagName>): string {
  const words = args.rest.join(" ")
  const goal = words.trim() === "" ? goalCheck(args.value("goal") ?? "") : undefined
  return goal ? goalPrompt(goal) : words
}

export async function readPrompt(
  args: Arguments<FlagName>,
  { stdin = "appended" }: { readonly stdin?: "appended" | "left alone" },
  warn: (line: string) => void,
): Promise<Result<Prompt, string>> {
  const words = typedPrompt(args)
  const needed = words.trim() === "" ? "needed" : "optional"
  const piped = stdin === "appended" ? await readStdin(needed, { clock: systemClock, warn }) : ok("")
  if (!piped.ok) return failed(piped.failure.message)
  const text = [words, piped.value].filter((part) => part.trim() !== "").join("\n")
  if (text === "")
    return failed("Input must be provided either through stdin or as a prompt argument when using --print")
  return ok(piped.value.trim() === "" ? { text } : { text, origin: { kind: "piped", words } })
}
