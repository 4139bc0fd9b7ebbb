/** Whether words after `login` can be the name of a provider: what may be a key is neither repeated nor kept. */

export const mayBeProvider = (words: string): boolean =>
  /^[a-z][a-z0-9._-]{0,29}$/.test(words) && !/^(sk|pk|gsk|xai|key|api)[-_]/.test(words)
