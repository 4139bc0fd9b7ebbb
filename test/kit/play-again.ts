/** Plays a session again from its log, in a session that is opened for it. */

import type { Model } from "#agent/words/model.ts"
import { systemClock } from "#lib/clock.ts"
import { ok } from "#lib/result.ts"
import type { Comparison } from "#session/replay/compare.ts"
import { replay } from "#session/replay/replay.ts"
import type { TestSession } from "./open-test-session.ts"

/** The second session is the caller's to close. */
export async function playAgain(
  first: TestSession,
  open: (port: Model) => Promise<TestSession>,
): Promise<{ readonly seen: Comparison; readonly second: TestSession }> {
  let second: TestSession | undefined
  const compared = await replay({
    original: first.entries(),
    async open(port) {
      second = await open(port)
      return ok(second.session)
    },
    replayed: () => second?.entries() ?? [],
    clock: systemClock,
    signal: new AbortController().signal,
    get substitutions() {
      if (!second) return []
      const folder = (t: TestSession): string => t.logPath.replace(/\.jsonl$/, "")
      return [
        [folder(second), folder(first)],
        [second.root, first.root],
      ] as const
    },
  })
  if (!compared.ok || !second) throw new Error("not replayed")
  return { seen: compared.value, second }
}
