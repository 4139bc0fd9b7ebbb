/** What kits add before a request: what is late is left out, but not what the person asked for. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import { systemClock } from "#lib/clock.ts"
import { attach } from "#session/turn/attach.ts"

/** No patience at all: whoever is not ready at once is late. */
const hasty = { ...systemClock, sleep: () => Promise.resolve() }

const slow = (name: string, more: Partial<Kit> = {}): Kit => ({
  name,
  attachments: async () => {
    await Bun.sleep(20)
    return [{ name, text: name }]
  },
  ...more,
})

async function attached(kits: readonly Kit[], signal: AbortSignal): Promise<readonly string[]> {
  const entries: EntryBody[] = []
  await attach(kits, { record: (body) => void entries.push(body), clock: hasty, signal })
  return entries.flatMap((entry) => (entry.kind === "attachment" ? [entry.name] : []))
}

test("what is mentioned is waited for, what nobody asked for is not", async () => {
  const { signal } = new AbortController()
  expect(await attached([slow("news"), slow("mention", { isAwaited: true })], signal)).toEqual(["mention"])
})

test("an interrupt ends the wait", async () => {
  const stopped = new AbortController()
  const never = slow("mention", { isAwaited: true, attachments: () => new Promise(() => {}) })
  const waiting = attached([never], stopped.signal)
  stopped.abort()
  expect(await waiting).toEqual([])
})
