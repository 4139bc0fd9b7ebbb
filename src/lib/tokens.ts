/** An estimate of tokens from characters; reported usage corrects it. */
export const estimateTokens = (text: string): number => tokensForLength(text.length)

/** The same for a text that is not at hand. */
export const tokensForLength = (characters: number): number => Math.ceil(characters / 4)

/**
 * An upper bound: dense code has three characters per token, other scripts one token per character; bytes cover both.
 */
export const mostTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3)
