/** The effort that a prompt asks for in words, for its own turn: "think", "think hard", "ultrathink". */

import type { Entry } from "#agent/words/entry.ts"
import type { Effort } from "#agent/words/thinking.ts"
import { typedPart } from "#agent/words/origin.ts"

/** Only what a person typed counts, not the expansion of a command or piped input. */
export function askedEffort({ content, command, origin }: Entry & { readonly kind: "prompt" }): Effort | undefined {
  const text = command?.typed ?? content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  const typed = typedPart(text, origin)
  // Most prompts do not mention it, and some are long.
  return /think/i.test(typed) ? levels.find(([pattern]) => pattern.test(withoutQuoted(typed)))?.[1] : undefined
}

/** Strongest first. */
const levels: readonly (readonly [RegExp, Effort])[] = [
  [/\bultra-?think\b/i, "max"],
  [
    /\bthink(?:ing)? (?:(?:really|very|super) (?:hard|long|deeply)|harder|longer|intensely|as hard as you can)\b/i,
    "max",
  ],
  [/\b(?:mega-?think|think(?:ing)? (?:about (?:it|this|that) )?(?:hard|deeply|more|a lot|carefully))\b/i, "high"],
  // Only as a request: "I think", "what do you think" and "to think of it" ask for nothing.
  [/(?:^|[.!?:;,\n]\s*|\b(?:please|and|then|first|now)\s+)think\b/i, "medium"],
]

const withoutQuoted = (text: string): string => text.replaceAll(/```[\s\S]*?(?:```|(?![\s\S]))|`[^`\n]*`|^>.*$/gm, " ")
