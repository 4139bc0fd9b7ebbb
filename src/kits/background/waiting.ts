/** Whether a command's last output looks like a prompt for input. */

import { readableOutput } from "#lib/readable-output.ts"

/** Looks at the last line only; a finished line has to be a clearer question than an open one. */
export function looksLikePrompt(recent: string): boolean {
  const text = readableOutput(recent)
  const line = text.trimEnd().split("\n").at(-1) ?? ""
  if (line.trim() === "") return false
  const isOpen = !text.endsWith("\n")
  return plainQuestions.some((pattern) => pattern.test(line)) || (isOpen && openQuestions.test(line))
}

const plainQuestions: readonly RegExp[] = [
  /\?\s*$/,
  // [y/N], (yes/no), (yes/no/[fingerprint])
  /[[(]\s*y(?:es)?\s*\/\s*n(?:o)?\b/i,
  /\b(?:password|passphrase|passcode|username|login)\b.*:\s*$/i,
  /\b(?:press|hit)\s+(?:any key|enter|return)\b/i,
]

const openQuestions = /[:>❯»]\s*$|\$\s$|\bpass(?:word|phrase)\b/i
