/** The price of a model, as listed by its provider or set in settings. */

/** US dollars per million tokens. */
export interface Rates {
  readonly input: number
  readonly output: number
  /** Writing to the prompt cache, for the retention we ask for. */
  readonly cacheWrite: number
  readonly cacheRead: number
}

export interface Price extends Rates {
  /** Every token of a request whose prompt is longer than `tokens` costs this instead. */
  readonly above?: Rates & { readonly tokens: number }
  /** US dollars per thousand searches at the provider; 10 when absent. */
  readonly webSearch?: number
}
