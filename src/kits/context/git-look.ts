/** A look at the repository that starts early and is waited for only briefly. */

import type { Clock } from "#lib/clock.ts"

export interface GitLook {
  readonly again: () => void
  readonly within: (ms: number) => string | undefined | Promise<string | undefined>
}

export function openGitLook(look: (() => Promise<string>) | undefined, clock: Clock): GitLook {
  let current = begin()

  function begin(): { readonly done: Promise<void>; text: string | undefined } {
    const begun: { done: Promise<void>; text: string | undefined } = { done: Promise.resolve(), text: undefined }
    if (look)
      begun.done = look().then(
        (text) => void (begun.text = text),
        // Without it the model has to run git itself.
        () => {},
      )
    return begun
  }

  async function waited(done: Promise<void>, ms: number): Promise<string | undefined> {
    const over = new AbortController()
    await Promise.race([done, clock.sleep(ms, over.signal)])
    over.abort()
    return current.text
  }

  return {
    again: () => void (current = begin()),
    within(ms) {
      const { done, text } = current
      return !look || text !== undefined ? text : waited(done, ms)
    },
  }
}
