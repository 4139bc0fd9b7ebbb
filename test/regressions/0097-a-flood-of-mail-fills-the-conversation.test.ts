/** 300 messages of one sender went into the conversation of the lead in full. */

import { expect, test } from "bun:test"
import type { Mail } from "#agent/words/team.ts"
import { asAttachments } from "#team/mail-reader.ts"

const mail = (seq: number, more: Partial<Mail> = {}): Mail => ({
  seq,
  from: "ann",
  to: "lead",
  type: "message",
  text: `${seq} ${"x".repeat(2_000)}`,
  sentAt: 1,
  ...more,
})

test("many unread messages of one sender come as one, each shortened", () => {
  const all = asAttachments(Array.from({ length: 300 }, (_, i) => mail(i + 1)))
  expect(all.map(({ data }) => data)).toEqual([
    { mailTo: 300, from: "ann", type: "message", count: 300, shown: "ann: 300 messages" },
  ])
  expect(all[0]?.text.length).toBeLessThan(25_000)
  expect(all[0]?.text).toStartWith('<teammate-messages from="ann" seq="1-300" count="300">\n1: 1 xxx')
})

test("a few come each for itself, and what asks or answers is never folded", () => {
  const some = [1, 2, 3, 4, 5].map((seq) => mail(seq))
  const ask = mail(6, { type: "plan_approval_request" })
  const others = [7, 8, 9, 10, 11, 12].map((seq) => mail(seq, { from: "bob" }))
  expect(asAttachments([...some, ask, ...others]).map(({ data }) => data?.mailTo)).toEqual([1, 2, 3, 4, 5, 6, 12])
})
