/** A session with commands and skills of its own, closed when its test is over. */

import { afterEach } from "bun:test"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"

/** Called once in a file of tests. */
export function starting(): Starting {
  const open: TestSession[] = []
  afterEach(async () => {
    for (const session of open.splice(0).toReversed()) await session[Symbol.asyncDispose]()
  })
  const start = async (options: TestSessionOptions): Promise<TestSession> => {
    const session = await openTestSession({
      allow: [],
      mode: "default",
      extensions: { claudeFolder: "/nonexistent", bundled: false },
      ...options,
      place: { trusted: true, ...options.place },
    })
    open.push(session)
    return session
  }
  return { start, closeLater: (session) => void open.push(session) }
}

interface Starting {
  readonly start: (options: TestSessionOptions) => Promise<TestSession>
  /** For one that came of another: it is closed first. */
  readonly closeLater: (session: TestSession) => void
}
