import { expect, test } from "bun:test"
import { wantedText } from "#sim/demo/find-text.ts"
import { wantedRenaming } from "#sim/demo/rename.ts"
import { proposeRepairs, toEdit } from "#sim/demo/repair.ts"
import { readStory } from "#sim/demo/story.ts"
import { countsIn, firstFailure } from "#sim/demo/test-output.ts"
import { decodeRequest } from "#sim/request.ts"

test.each([
  ["find TODO", "TODO"],
  ["Where is parseConfig defined?", "parseConfig"],
  ["search for the function openSession in this repo", "openSession"],
  ['find "two words" please', "two words"],
  ["where's `a.b`", "a.b"],
  ["hello", undefined],
])("%p looks for %p", (task, wanted) => expect(wantedText(task)).toBe(wanted))

test.each([
  ["rename foo to bar", { from: "foo", to: "bar" }],
  ["Please rename the function `oldName` to `newName` everywhere", { from: "oldName", to: "newName" }],
  ["rename it", undefined],
])("%p renames %p", (task, wanted) => expect(wantedRenaming(task)).toEqual(wanted))

const tap = `Exit code 1
TAP version 13
ok 1 - fine
not ok 2 - adds up
  ---
  location: '/tmp/x/test/sum.test.js:5:1'
  error: |-
    Expected values to be strictly equal:
  expected: 6
  actual: 3
  stack: |-
    TestContext.<anonymous> (file:///tmp/x/test/sum.test.js:6:10)
    Test.run (node:internal/test_runner/test:796:25)
  ...
# pass 1
# fail 1
`
const spec = `✔ fine (1ms)
✖ adds up (2.1ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
      at TestContext.<anonymous> (file:///tmp/x/test/sum.test.js:6:10) {
    actual: { a: 1 },
    expected: { a: 2 },
  }
ℹ pass 1
ℹ fail 1
`

test("both styles of Node's runner are read", () => {
  const where = { name: "adds up", file: "/tmp/x/test/sum.test.js" }
  expect(firstFailure(tap)).toEqual({ ...where, line: 5, expected: "6", actual: "3" })
  expect(firstFailure(spec)).toEqual({ ...where, line: 6, expected: "{ a: 2 }", actual: "{ a: 1 }" })
  expect([countsIn(tap), countsIn(spec)]).toEqual([
    { passed: 1, failed: 1 },
    { passed: 1, failed: 1 },
  ])
  expect(firstFailure("all is well")).toBeUndefined()
})

test("repairs are looked for in what the test calls, the likeliest first", () => {
  const source = {
    path: "src/sum.js",
    lines: [
      "export function sum(xs) {",
      "  let all = 0",
      "  for (let i = 0; i <= xs.length; i++) all = all - xs[i]",
      "  return all",
      "}",
      "export const other = (a) => a > 1",
    ],
  }
  const sumTest = { path: "test/sum.test.js", lines: ["test('adds up', () => {", "  equal(sum([1]), 1)", "})"] }
  const repairs = proposeRepairs([source], sumTest, { name: "adds up", file: "test/sum.test.js", line: 1 })
  expect(repairs.map(({ line, after }) => [line, after])).toEqual([
    [3, "  for (let i = 0; i < xs.length; i++) all = all - xs[i]"],
    [3, "  for (let i = 0; i < xs.length; i++) all = all - xs[i]"],
    [3, "  for (let i = 0; i <= xs.length; i++) all = all + xs[i]"],
  ])
})

test("an edit takes in lines above until its text is the only one of its kind", () => {
  const source = { path: "a.js", lines: ["one", "  same", "two", "  same"] }
  const repair = { path: "a.js", line: 4, before: "  same", after: "  other", because: "" }
  expect(toEdit(repair, source)).toEqual({ path: "a.js", old: "two\n  same", new: "two\n  other" })
})

test("the task is the last thing a person asked; going on is not one", () => {
  const messages = [
    { role: "user", content: "find a" },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "Grep", input: { pattern: "a" } }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "1", content: "x", is_error: true },
        { type: "text", text: "<system-reminder>do other things</system-reminder>" },
      ],
    },
    { role: "assistant", content: "Hm." },
    { role: "user", content: "continue, please" },
  ]
  const story = readStory(decodeRequest({ model: "sim", messages }))
  expect(story).toMatchObject({
    task: "find a",
    done: [{ tool: "Grep", input: { pattern: "a" }, result: "x", failed: true }],
  })
})
