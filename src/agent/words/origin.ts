/** Where the text of a prompt comes from. Only typed text can have files read by mentioning them. See decision 45. */

/**
 * For a prompt that was not typed, or only in part. `piped`: it came through a pipe; `words` is what was typed with
 * it. `made`: written by an agent, a hook or another program. Without an origin the prompt was typed in a terminal,
 * as an argument or in a client.
 */
export type PromptOrigin = { readonly kind: "piped"; readonly words: string } | { readonly kind: "made" }

export function typedPart(text: string, origin: PromptOrigin | undefined): string {
  if (origin === undefined) return text
  return origin.kind === "piped" ? origin.words : ""
}
