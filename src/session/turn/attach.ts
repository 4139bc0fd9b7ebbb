/** Collects what kits want the model to know before the next request: in parallel, with a time limit except for what the user asked for. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Clock } from "#lib/clock.ts"

const patienceMs = 1_000

interface AttachParts {
  readonly record: (body: EntryBody) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** Records what the kits provide, in order. A late kit is skipped this time; one that throws is named. */
export async function attach(kits: readonly Kit[], parts: AttachParts): Promise<void> {
  const brought: Attaching[] = []
  // In most steps nothing takes time.
  let isSlow = false
  for (const kit of kits) {
    const attachments = bring(kit, parts)
    isSlow ||= attachments instanceof Promise
    brought.push(attachments)
  }
  const all = isSlow ? await inTime(kits, brought, parts) : (brought as readonly (readonly Attachment[])[])
  if (parts.signal.aborted) return
  for (const attachments of all)
    for (const attachment of attachments) parts.record({ kind: "attachment", ...attachment })
}

type Attaching = readonly Attachment[] | Promise<readonly Attachment[]>

async function inTime(
  kits: readonly Kit[],
  brought: readonly Attaching[],
  { clock, signal }: Pick<AttachParts, "clock" | "signal">,
): Promise<readonly (readonly Attachment[])[]> {
  const over = new AbortController()
  const tooLate = clock.sleep(patienceMs, over.signal).then((): readonly Attachment[] => [])
  const interrupted = interruption(signal, over.signal)
  const all = await Promise.all(
    brought.map((one, nth) => Promise.race([one, interrupted, ...(kits[nth]?.isAwaited ? [] : [tooLate])])),
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

function bring(kit: Kit, { record, signal }: Pick<AttachParts, "record" | "signal">): Attaching {
  try {
    const brought = kit.attachments?.(signal) ?? []
    return brought instanceof Promise ? brought.catch((error: unknown) => complain(kit, error, record)) : brought
  } catch (error) {
    return complain(kit, error, record)
  }
}

function complain({ name }: Kit, error: unknown, record: AttachParts["record"]): readonly Attachment[] {
  record({ kind: "notice", level: "warning", text: `The ${name} kit could not add its context: ${String(error)}` })
  return []
}
