/** Who is told of an entry, in which order, and what is told again when the conversation continues elsewhere. */

import { expect, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import { byKind, type Follower, refold, onEntryOfAll, notifyFollowers, unless } from "#agent/words/follower.ts"

const stamp = { uuid: "u", parentUuid: null, at: 0 }
const cwd: Entry = { ...stamp, kind: "cwd", path: "/work" }
const model: Entry = { ...stamp, kind: "model", model: "m", why: "asked" }

function opened() {
  const heard: string[] = []
  const all: readonly Follower[] = [
    { onEntry: ({ kind }) => void heard.push(`everything: ${kind}`) },
    { onEntry: byKind({ cwd: ({ path }) => void heard.push(`folder ${path}`) }) },
    {
      onEntry: byKind({ model: () => void heard.push("model") }),
      conversation: {
        reset: () => void heard.push("reset"),
        onEntry: byKind({ cwd: () => void heard.push("in talk") }),
      },
    },
  ]
  return { heard, all }
}

test("each is told of the kinds it takes, in the order of the followers", () => {
  const { heard, all } = opened()
  notifyFollowers(all, cwd)
  expect(heard.splice(0)).toEqual(["everything: cwd", "folder /work", "in talk"])
  notifyFollowers(all, model)
  expect(heard).toEqual(["everything: model", "model"])
})

test("a kind that is not taken does nothing, also when told directly", () => {
  const { heard, all } = opened()
  all[1]?.onEntry?.(model)
  expect(heard).toEqual([])
})

test("another conversation is told again to those who follow it, and only their kinds count", () => {
  const { heard, all } = opened()
  refold(all, [cwd, model, cwd])
  expect(heard).toEqual(["reset", "in talk", "in talk"])
})

test("several as one take what any of them takes", () => {
  const heard: string[] = []
  const some = onEntryOfAll(byKind({ cwd: () => void heard.push("a") }), byKind({ model: () => void heard.push("b") }))
  const every = onEntryOfAll(some, ({ kind }) => void heard.push(kind))
  for (const entry of [cwd, model]) notifyFollowers([{ onEntry: some }], entry)
  expect(heard.splice(0)).toEqual(["a", "b"])
  for (const entry of [cwd, model]) notifyFollowers([{ onEntry: every }], entry)
  expect(heard.splice(0)).toEqual(["a", "cwd", "b", "model"])
  every(model)
  expect(heard).toEqual(["b", "model"])
})

test("what passes by is not told", () => {
  const heard: string[] = []
  const onEntry = unless(new Set(["model"]), ({ kind }) => void heard.push(kind))
  for (const entry of [cwd, model]) notifyFollowers([{ onEntry }], entry)
  onEntry(model)
  expect(heard).toEqual(["cwd"])
})
