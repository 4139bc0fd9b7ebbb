/** An estimate of tokens from characters; reported usage corrects it. */
export const estimateTokens = (text: string): number => Math.ceil(text.length / 4)
