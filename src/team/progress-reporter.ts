/** Keeps the roster up to date on what a member does and costs, at most once a second. */

import type { Entry } from "#agent/words/entry.ts"
import type { MemberNews, Roster } from "#agent/words/team.ts"
import type { Clock } from "#lib/clock.ts"

const everyMs = 1_000

export interface ProgressReporter {
  readonly doing: (title: string) => void
  readonly onEntry: (entry: Entry) => void
  /** Tells what has not been told. */
  readonly close: () => Promise<void>
}

export function openProgressReporter(parts: {
  readonly name: string
  readonly roster: Pick<Roster, "report">
  readonly clock: Clock
  readonly costUsd: number
  readonly onFailure: (error: unknown) => void
}): ProgressReporter {
  const { name, roster, clock } = parts
  let news: MemberNews = {}
  let { costUsd } = parts
  let cancel: (() => void) | undefined

  function scheduleReport(more: MemberNews): void {
    news = { ...news, ...more }
    cancel ??= clock.after(everyMs, () => {
      cancel = undefined
      flush().catch(parts.onFailure)
    })
  }

  async function flush(): Promise<void> {
    const now = news
    news = {}
    if (Object.keys(now).length > 0) await roster.report(name, now)
  }

  return {
    doing: (activity) => scheduleReport({ activity }),
    onEntry(entry) {
      // What it did is over.
      if (entry.kind === "turn_end") news = { ...news, activity: "" }
      if (entry.kind !== "reply_end") return
      const { usage } = entry
      costUsd += entry.costUsd ?? 0
      const tokens =
        usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens + usage.output_tokens
      scheduleReport({ tokens, costUsd })
    },
    close() {
      cancel?.()
      return flush()
    },
  }
}
