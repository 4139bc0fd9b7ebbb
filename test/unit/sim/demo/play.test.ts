import { join } from "node:path"
import { expect, test } from "bun:test"
import { openWorkshop, type Workshop } from "./workshop.ts"

const passes = ({ folder }: Workshop): boolean => Bun.spawnSync(["node", "--test"], { cwd: folder }).exitCode === 0
const textOf = ({ folder }: Workshop, path: string): Promise<string> => Bun.file(join(folder, path)).text()
const simulatorNote = /built-in simulator.*ANTHROPIC_API_KEY/s

test("it fixes the failing test of the sample, for real, and says what it is", async () => {
  await using shop = await openWorkshop()
  const { calls, last, perReply } = await shop.play("Please fix the failing test.")
  expect(calls).toEqual([
    "TodoWrite",
    "Glob *",
    "Glob **/*",
    "Read package.json",
    "TodoWrite",
    "Bash npm test",
    "TodoWrite",
    "Read test/loyalty.test.js",
    "Read src/loyalty.js",
    "Edit src/loyalty.js",
    "TodoWrite",
    "Bash npm test",
    "TodoWrite",
  ])
  expect(Math.max(...perReply)).toBe(3)
  expect(await textOf(shop, "src/loyalty.js")).toContain("while (stamps >= STAMPS_PER_CARD)")
  expect(passes(shop)).toBe(true)
  expect(last).toContain("All 14 tests pass now.")
  expect(last).toContain("+   while (stamps >= STAMPS_PER_CARD) {")
  expect(last).toMatch(simulatorNote)
})

const tiny = (source: string): Record<string, string> => ({
  "package.json": `{ "type": "module", "scripts": { "test": "node --test" } }`,
  "src/total.js": source,
  "test/total.test.js": `import assert from "node:assert/strict"
import { test } from "node:test"
import { total } from "../src/total.js"

test("an empty list is nothing", () => {
  assert.equal(total([]), 0)
})

test("prices are added, gifts left out", () => {
  assert.equal(total([1, 0, 2, 3]), 6)
})
`,
})

test("with LS, without a todo list and with thinking it gets there too", async () => {
  await using shop = await openWorkshop(
    tiny(
      "export const total = (prices) => prices.slice(0, prices.length - 1).reduce((sum, price) => sum + price, 0)\n",
    ),
  )
  const { calls, last } = await shop.play("make the tests pass", {
    tools: ["Read", "Edit", "LS", "Bash"],
    thinking: true,
  })
  expect(calls).toEqual([
    "LS",
    "Read package.json",
    "Bash npm test",
    "Read test/total.test.js",
    "Read src/total.js",
    "Edit src/total.js",
    "Bash npm test",
  ])
  expect(last).toContain("pass now")
})

test("a guess that does not help is taken back before the next", async () => {
  const source = `export function total(prices) {
  let sum = 0
  for (const price of prices) if (price > 0) sum = sum - price
  return sum
}
`
  await using shop = await openWorkshop(tiny(source))
  const { calls } = await shop.play("fix the failing test", { tools: ["Read", "Edit", "Glob", "Bash"] })
  const edit = "Edit src/total.js"
  expect(calls.slice(-6)).toEqual(["Read src/total.js", edit, "Bash npm test", edit, edit, "Bash npm test"])
  expect(await textOf(shop, "src/total.js")).toBe(source.replace("sum - price", "sum + price"))
})

test("when it may not run or may not change, it says so, names the way, and stops", async () => {
  const source = "export const total = (prices) => prices.reduce((sum, price) => sum - price, 0)\n"
  await using shop = await openWorkshop(tiny(source))
  const refusal = "Permission to use this was not given."
  const unrun = await shop.play("fix the failing test", { deny: (tool) => (tool === "Bash" ? refusal : undefined) })
  expect(unrun.calls.at(-1)).toBe("Bash npm test")
  expect(unrun.last).toContain(refusal)
  expect(unrun.last).toContain(`--allowed-tools "Bash(npm test)"`)
  const unchanged = await shop.play("fix the failing test", { deny: (tool) => (tool === "Edit" ? refusal : undefined) })
  expect(unchanged.calls.at(-1)).toBe("Edit src/total.js")
  expect(unchanged.last).toContain("--permission-mode acceptEdits")
  expect(await textOf(shop, "src/total.js")).toBe(source)
})

test("what it cannot explain it leaves as it was", async () => {
  const source = "export const total = (prices) => (prices.length > 0 ? 7 : 0)\n"
  await using shop = await openWorkshop(tiny(source))
  const { last, calls } = await shop.play("fix the failing test")
  expect(calls).toContain("Edit src/total.js")
  expect(last).toContain("I leave the code as it is.")
  expect(await textOf(shop, "src/total.js")).toBe(source)
})

test("it runs the tests and reports the sums", async () => {
  await using shop = await openWorkshop()
  const { last } = await shop.play("Run the tests, please")
  expect(last).toContain("13 passed, 1 failed")
  expect(last).toContain("the tenth stamp earns a free coffee")
})

test("it renames by whole words, in every file", async () => {
  await using shop = await openWorkshop()
  await Bun.write(
    join(shop.folder, "src/extra.js"),
    "const total = 1\nconst subtotal = total\nexport { total, subtotal }\n",
  )
  const { last } = await shop.play("rename total to grandTotal")
  expect(await textOf(shop, "src/order.js")).toContain("export function grandTotal(order)")
  expect(await textOf(shop, "src/extra.js")).toBe(
    "const grandTotal = 1\nconst subtotal = grandTotal\nexport { grandTotal, subtotal }\n",
  )
  expect(await textOf(shop, "src/receipt.js")).toContain("grandTotal(order)")
  expect(last).toContain("Renamed `total` to `grandTotal`")
  expect(last).toMatch(simulatorNote)
})

test("it finds text and explains the tree", async () => {
  await using shop = await openWorkshop()
  const found = await shop.play("Where is countCoffees defined?")
  expect(found.calls).toEqual(["Grep countCoffees"])
  expect(found.last).toContain("src/order.js:")
  const none = await shop.play('find "no such thing"')
  expect(none.last).toContain("occurs nowhere")
  const explained = await shop.play("Explain this project to me")
  expect(explained.last).toContain("**corner-cafe**: The till of a small café")
  expect(explained.last).toContain("`src/`: 5 files")
  expect(explained.last).toContain("`npm run start`: `node src/main.js`")
})

test("what it does not know it does not pretend to know", async () => {
  await using shop = await openWorkshop()
  const { calls, last } = await shop.play("Write me a poem about the sea")
  expect(calls).toEqual([])
  expect(last).toMatch(simulatorNote)
  expect((await shop.play("find x", { tools: [] })).last).toContain("Grep tool")
})

test("tests that were moved to the background are neither passed nor failed", async () => {
  await using shop = await openWorkshop()
  const moved =
    "The user moved this command to the background, where it continues as bash_1.\nIt printed nothing so far."
  for (const task of ["run the tests", "fix the failing test"]) {
    const { last } = await shop.play(task, { deny: (tool) => (tool === "Bash" ? moved : undefined) })
    expect(last).toContain("`npm test` is still running in the background, so I do not know the result yet.")
  }
})
