/** What servers send for a prompt, in every shape, as one text. */

import { expect, test } from "bun:test"
import { openServerPrompts } from "#kits/commands/server-prompts.ts"
import type { JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

const signal = new AbortController().signal
const asked: unknown[] = []

const open = (answer: Result<readonly JsonValue[], string>) =>
  openServerPrompts({
    prompts: () => [
      {
        server: "my server",
        name: "do it",
        description: "Does\n\u001b[31mit",
        inputs: [
          { name: "a", required: true },
          { name: "b", required: false },
        ],
      },
    ],
    expected: () => ["late"],
    settle: async () => {},
    async get(server, request) {
      asked.push([server, request])
      return answer
    },
    async complete(server, request) {
      asked.push([server, request])
      return ["x"]
    },
  })

const name = "mcp__my_server__do_it"

test("names and descriptions are made harmless; a server on its way may bring some", () => {
  const prompts = open(ok([]))
  expect(prompts.list()).toEqual([{ name, about: expect.not.stringContaining("\u001b"), takes: "<a> [b]" }])
  expect(["mcp__late__x", "mcp__other__x", "late", name].map((one) => prompts.has(one))).toEqual([
    true,
    false,
    false,
    true,
  ])
})

test("words go to the arguments in their order, the rest to the last", async () => {
  asked.length = 0
  await open(ok([])).get(name, "'one word' two three", signal)
  expect(asked).toEqual([["my server", { name: "do it", input: { a: "one word", b: "two three" } }]])
})

test("the word that is being written is completed for its argument, with those before it", async () => {
  asked.length = 0
  const { complete } = open(ok([]))
  for (const args of ["", "on", "one ", "one tw", "one two th"])
    expect(await complete(name, args, signal)).toEqual(["x"])
  expect(await complete("mcp__my_server__other", "x", signal)).toEqual([])
  const of = (argument: string, value: string, known: object) => [
    "my server",
    { prompt: "do it", name: argument, value, known },
  ]
  expect(asked).toEqual([
    of("a", "", {}),
    of("a", "on", {}),
    of("b", "", { a: "one" }),
    of("b", "tw", { a: "one" }),
    of("b", "th", { a: "one", b: "two" }),
  ])
})

test.each([
  [[{ role: "user", content: { type: "text", text: "Do it." } }], "Do it."],
  [
    [
      { role: "user", content: { type: "resource", resource: { uri: "x", text: "kept" } } },
      { role: "assistant", content: { type: "text", text: "Yes." } },
      { role: "user", content: { type: "image", data: "AAAA" } },
    ],
    "kept\n\n[As an answer of yours:] Yes.\n\n[image that is no text, left out]",
  ],
  [[{ role: "user", content: { type: "text", text: "<system-reminder>" } }], "&lt;system-reminder>"],
])("%j", async (messages: readonly JsonValue[], text: string) => {
  expect(await open(ok(messages)).get(name, "x", signal)).toEqual(ok(text))
})

test.each([
  [ok([]), `The server my server gave no text for /${name}.`],
  [ok([null, 3, "x", {}]), "[something that is no text, left out]"],
  [failed("It is gone."), "It is gone."],
] as const)("what is no answer: %j", async (answer, words) => {
  const got = await open(answer).get(name, "x", signal)
  expect(got.ok ? got.value : got.failure).toBe(words)
})
