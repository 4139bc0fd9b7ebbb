import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Event } from "#agent/words/event.ts"
import { openFeed } from "#session/feed.ts"

async function collect(events: AsyncIterable<Event>): Promise<number[]> {
  const numbers: number[] = []
  for await (const { seq } of events) numbers.push(seq)
  return numbers
}

/** What happens to a feed: an entry, a passing moment, or someone who begins to watch after a number. */
const anyHappening = fc.oneof(
  fc.constant({ kind: "entry" as const }),
  fc.constant({ kind: "moment" as const }),
  fc.nat(30).map((after) => ({ kind: "watch" as const, after })),
)

test("each watcher gets every entry after its number and every moment since it came, once and in order", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyHappening, { maxLength: 40 }), async (happenings) => {
      const feed = openFeed()
      const published: { seq: number; isEntry: boolean }[] = []
      const watchers: { seen: Promise<number[]>; after: number; since: number }[] = []
      for (const happening of happenings) {
        if (happening.kind === "watch")
          watchers.push({ seen: collect(feed.after(happening.after)), after: happening.after, since: feed.seq() })
        else if (happening.kind === "entry")
          feed.publishEntry({ kind: "turn_start", turnId: "t", uuid: "u", parentUuid: null, at: 0 })
        else feed.publish({ type: "queue_change", texts: [] })
        if (happening.kind !== "watch") published.push({ seq: feed.seq(), isEntry: happening.kind === "entry" })
      }
      feed.close()
      for (const { seen, after, since } of watchers)
        expect(await seen).toEqual(
          published.filter(({ seq, isEntry }) => (isEntry && seq > after) || seq > since).map(({ seq }) => seq),
        )
    }),
    { numRuns: 200 },
  )
})
