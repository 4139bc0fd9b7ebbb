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
  const sources = kits.filter((kit) => kit.attachments !== undefined)
  if (sources.length === 0) return
  const over = new AbortController()
  const tooLate = parts.clock.sleep(patienceMs, over.signal).then((): readonly Attachment[] => [])
  const interrupted = interruption(parts.signal, over.signal)
  const brought = await Promise.all(
    sources.map((kit) => Promise.race([bring(kit, parts), interrupted, ...(kit.isAwaited ? [] : [tooLate])])),
  )
  over.abort()
  if (parts.signal.aborted) return
  for (const attachment of brought.flat()) parts.record({ kind: "attachment", ...attachment })
}

function interruption(signal: AbortSignal, over: AbortSignal): Promise<readonly Attachment[]> {
  return new Promise((resolve) => {
    const stop = (): void => resolve([])
    if (signal.aborted) stop()
    signal.addEventListener("abort", stop, { once: true, signal: over })
  })
}

async function bring(
  kit: Kit,
  { record, signal }: { readonly record: (body: EntryBody) => void; readonly signal: AbortSignal },
): Promise<readonly Attachment[]> {
  try {
    return (await kit.attachments?.(signal)) ?? []
  } catch (error) {
    record({
      kind: "notice",
      level: "warning",
      text: `The ${kit.name} kit could not add its context: ${String(error)}`,
    })
    return []
  }
}
