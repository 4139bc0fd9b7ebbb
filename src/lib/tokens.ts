/** An estimate of tokens from characters; reported usage corrects it. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 4)

/** No fewer than there can be: dense code has three characters to a token, and other scripts a token to a character; bytes say both. */
export const mostTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3)
