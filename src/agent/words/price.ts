/** What a model costs, as its provider lists it or a setting says. */

/** US dollars for a million tokens. */
export interface Rates {
  readonly input: number
  readonly output: number
  /** Writing to the prompt cache, for as long as we ask it to be kept. */
  readonly cacheWrite: number
  readonly cacheRead: number
}

export interface Price extends Rates {
  /** For requests whose prompt is longer than so many tokens, every token of them costs this instead. */
  readonly above?: Rates & { readonly tokens: number }
  /** US dollars for a thousand searches at the provider; 10 where it is not said. */
  readonly webSearch?: number
}
