/** When the state of the repository is told: at the beginning, after a commit or checkout, and a slow status when git has it. */

import type { Attachment } from "#agent/words/kit.ts"
import type { GitState } from "./git-status.ts"

export const gitName = "git_status"

export interface GitNews {
  /** What the conversation does not have yet; a promise if the request has to wait for it. */
  readonly news: () => Attachment | undefined | Promise<Attachment | undefined>
  /** The conversation has it; `data` is the attachment's. */
  readonly onAttached: (data: Attachment["data"]) => void
  /** The model calls a tool, so another request follows: a status that is owed is read meanwhile. */
  readonly onCall: () => void
  /** Another conversation, which does not have it. */
  readonly reset: () => void
  /** As it is now. */
  readonly again: () => Promise<Attachment | undefined>
}

interface LateStatus {
  text: string | undefined
}

/** In the log, so that a resumed conversation is told what it was promised. */
const owing = { status: "later" } as const

export function openGitNews({
  git: read,
  gitMark,
}: {
  readonly git?: () => Promise<GitState>
  readonly gitMark?: () => string | undefined
}): GitNews {
  let state = begin()
  let isGiven = false
  let isOwed = false
  /** Earlier conversations of a resumed log are over: for those nothing is read. */
  let isLive = false
  let late: LateStatus | undefined
  let seen: string | undefined

  async function begin(): Promise<GitState | undefined> {
    try {
      return await read?.()
    } catch {
      // Without it the model has to run git itself.
      return undefined
    }
  }

  function readAgain(): void {
    state = begin()
    late = undefined
  }

  function readLate(): void {
    if (late) return
    const mine: LateStatus = { text: undefined }
    late = mine
    void state
      .then((known) => known?.later?.())
      .then(
        (text) => void (mine.text = text),
        () => {},
      )
  }

  return {
    news() {
      if (!read) return undefined
      isLive = true
      const mark = gitMark?.() ?? ""
      const moves = seen !== undefined && mark !== seen
      seen = mark
      if (isGiven && moves) {
        readAgain()
        isGiven = false
      }
      if (!isGiven) return state.then(attached)
      if (!isOwed) return undefined
      readLate()
      return late?.text === undefined ? undefined : { name: gitName, text: late.text }
    },
    onAttached(data) {
      isGiven = true
      isOwed = data?.status === owing.status
    },
    onCall: () => void (isLive && isOwed && readLate()),
    reset() {
      isGiven = false
      isOwed = false
      readAgain()
    },
    again() {
      readAgain()
      return state.then(attached)
    },
  }
}

const attached = (state: GitState | undefined): Attachment | undefined =>
  state && { name: gitName, text: state.text, ...(state.later && { data: owing }) }
