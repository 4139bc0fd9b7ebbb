/** The state of the repository: reading it starts early, and is waited for only briefly. */

import type { Clock } from "#lib/clock.ts"

interface GitStatusReader {
  readonly again: () => void
  readonly within: (ms: number) => string | undefined | Promise<string | undefined>
}

export interface GitNews {
  /** The state of the repository, at the beginning and again after a commit or checkout; nobody waits for that. */
  readonly news: () => string | undefined | Promise<string | undefined>
  /** The conversation has it. */
  readonly given: () => void
  /** Another conversation, which does not have it. */
  readonly reset: () => void
  /** As it is now. */
  readonly again: (ms: number) => string | undefined | Promise<string | undefined>
}

export function openGitNews({
  git: readStatus,
  gitMark,
  patienceMs,
  clock,
}: {
  readonly git?: () => Promise<string>
  readonly gitMark?: () => string | undefined
  readonly patienceMs: number
  readonly clock: Clock
}): GitNews {
  const git = openGitStatusReader(readStatus, clock)
  let isGiven = false
  let hasMoved = false
  let seen: string | undefined
  return {
    news() {
      const mark = gitMark?.() ?? ""
      const moves = seen !== undefined && mark !== seen
      seen = mark
      if (isGiven && moves) {
        git.again()
        isGiven = false
        hasMoved = true
      }
      return isGiven ? undefined : git.within(hasMoved ? 0 : patienceMs)
    },
    given: () => void (isGiven = true),
    reset() {
      isGiven = false
      hasMoved = false
      git.again()
    },
    again(ms) {
      git.again()
      return git.within(ms)
    },
  }
}

function openGitStatusReader(readStatus: (() => Promise<string>) | undefined, clock: Clock): GitStatusReader {
  let current = begin()

  function begin(): { readonly done: Promise<void>; text: string | undefined } {
    const begun: { done: Promise<void>; text: string | undefined } = { done: Promise.resolve(), text: undefined }
    if (readStatus)
      begun.done = readStatus().then(
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
      return !readStatus || text !== undefined ? text : waited(done, ms)
    },
  }
}
