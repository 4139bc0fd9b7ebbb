/** Collects what kits want the model to know before the next request: in parallel, with a time limit except for what the user asked for. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Clock } from "#lib/clock.ts"

const patienceMs = 1_000

/** Records what the kits provide, in order. A late kit is skipped this time; one that throws is named. */
export async function attach(
  kits: readonly Kit[],
  parts: { readonly record: (body: EntryBody) => void; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const asked = kits.flatMap((kit) => (kit.attachments ? [{ kit, brought: bring(kit, parts) }] : []))
  // In most steps nothing takes time.
  const isSlow = asked.some(({ brought }) => brought instanceof Promise)
  const all = isSlow ? await inTime(asked, parts) : asked.map(({ brought }) => brought as readonly Attachment[])
  if (parts.signal.aborted) return
  for (const attachments of all)
    for (const attachment of attachments) parts.record({ kind: "attachment", ...attachment })
}

type Attaching = readonly Attachment[] | Promise<readonly Attachment[]>

async function inTime(
  asked: readonly { readonly kit: Kit; readonly brought: Attaching }[],
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly (readonly Attachment[])[]> {
  const over = new AbortController()
  const tooLate = clock.sleep(patienceMs, over.signal).then((): readonly Attachment[] => [])
  const interrupted = interruption(signal, over.signal)
  const all = await Promise.all(
    asked.map(({ kit, brought }) => Promise.race([brought, interrupted, ...(kit.isAwaited ? [] : [tooLate])])),
  )
  over.abort()
  return all
}

function interruption(signal: AbortSignal, over: AbortSignal): Promise<readonly Attachment[]> {
  return new Promise((resolve) => {
    const stop = (): void => resolve([])
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true, signal: over })
  })
}

function bring(
  kit: Kit,
  { record, signal }: { readonly record: (body: EntryBody) => void; readonly signal: AbortSignal },
): Attaching {
  const complain = (error: unknown): readonly Attachment[] => {
    record({
      kind: "notice",
      level: "warning",
      text: `The ${kit.name} kit could not add its context: ${String(error)}`,
    })
    return []
  }
  try {
    const brought = kit.attachments?.(signal) ?? []
    return brought instanceof Promise ? brought.catch(complain) : brought
  } catch (error) {
    return complain(error)
  }
}
