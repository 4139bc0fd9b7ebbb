/** Signatures on thinking: the simulator signs what it thought, and knows again whether it comes back unchanged. */

const signaturePrefix = "sim."

/** A signature that strict checking can verify later. */
export const signThinking = (thinking: string): string => `${signaturePrefix}${Bun.hash(thinking).toString(36)}`

/** Whether a signature is none of ours, or ours and fitting. */
export function isSignatureSound(thinking: string, signature: string): boolean {
  return !signature.startsWith(signaturePrefix) || signature === signThinking(thinking)
}
