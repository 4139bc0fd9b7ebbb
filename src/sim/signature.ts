/** Signatures on thinking: the simulator signs its thinking, and detects whether it comes back unchanged. */

const signaturePrefix = "sim."

export const signThinking = (thinking: string): string => `${signaturePrefix}${Bun.hash(thinking).toString(36)}`

/** True for a signature that is not ours, and for ours if it matches. */
export function isSignatureSound(thinking: string, signature: string): boolean {
  return !signature.startsWith(signaturePrefix) || signature === signThinking(thinking)
}
