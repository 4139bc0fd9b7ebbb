/** Recently read pages. Expires them on every access, so that it needs no timer and no closing. */

import type { Clock } from "#lib/clock.ts"

export interface PageCacheLimits {
  readonly milliseconds: number
  readonly entries: number
  readonly characters: number
}

export interface PageCache<Page extends { readonly text: string }> {
  readonly get: (url: string) => Page | undefined
  /** Stores a page under its address, and under the requested one if that redirected to it. */
  readonly put: (page: Page, ...urls: readonly string[]) => void
}

export function openPageCache<Page extends { readonly text: string }>(
  clock: Clock,
  limits: PageCacheLimits,
): PageCache<Page> {
  // A map keeps insertion order, so the oldest come first.
  const kept = new Map<string, { readonly page: Page; readonly at: number }>()
  let characters = 0

  const drop = (url: string): void => {
    characters -= kept.get(url)?.page.text.length ?? 0
    kept.delete(url)
  }
  const clean = (): void => {
    const oldest = clock.now() - limits.milliseconds
    for (const [url, { at }] of kept) {
      if (at > oldest && kept.size <= limits.entries && characters <= limits.characters) return
      drop(url)
    }
  }
  return {
    get(url) {
      clean()
      return kept.get(url)?.page
    },
    put(page, ...urls) {
      for (const url of new Set(urls)) {
        drop(url)
        kept.set(url, { page, at: clock.now() })
        characters += page.text.length
      }
      clean()
    },
  }
}
