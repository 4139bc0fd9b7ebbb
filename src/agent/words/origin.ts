/** Where the text of a prompt comes from. Only what a person typed can have files read by mentioning them. */

/**
 * Said of a prompt that nobody typed, or not all of it. `piped`: it came through a pipe; `words` is what was typed
 * beside it. `made`: an agent, a hook or another program wrote it. A prompt that says nothing was typed, in a terminal, as
 * an argument or in a client.
 */
export type PromptOrigin = { readonly kind: "piped"; readonly words: string } | { readonly kind: "made" }

/** The part of a text that a person typed. */
export function typedPart(text: string, origin: PromptOrigin | undefined): string {
  if (origin === undefined) return text
  return origin.kind === "piped" ? origin.words : ""
}
