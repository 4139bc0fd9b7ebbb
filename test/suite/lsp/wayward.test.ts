import { expect, setDefaultTimeout, test } from "bun:test"
import { lspOf, wayward } from "../../kit/lsp/servers.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"

setDefaultTimeout(300_000)

/** Short, because these servers never answer; that the turn ends at all is what is shown. */
const impatient = { answerMs: 200, firstMs: 200, restMs: 300, loadingMs: 400 }

const told = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "attachment" && entry.name === "diagnostics" ? [entry.text] : []))

const warnings = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "notice" && entry.level === "warning" ? [entry.text] : []))

const open = (how: string, patience?: typeof impatient): Promise<TestSession> => {
  const lsp = lspOf(wayward(how))
  return openTestSession({
    files: { "a.txt": "good\n" },
    script: [
      calls(read("a.txt")),
      calls(edit("a.txt", "good", "bad")),
      calls(edit("a.txt", "bad", "good again")),
      says("Done."),
    ],
    place: { trusted: true },
    lsp: patience ? { ...lsp, patience } : lsp,
  })
}

for (const how of ["hangs_at_start", "hangs_after_edit"])
  test(`a server that ${how}: the turn goes on without it`, async () => {
    await using t = await open(how, impatient)
    expect(await t.prompt("go")).toEqual({ reason: "completed" })
    expect([told(t), t.read("a.txt")]).toEqual([[], "good again\n"])
  })

for (const how of ["crashes", "prints_garbage", "announces_too_much", "floods"])
  test(`a server that ${how} is started twice at most, and the user is told once`, async () => {
    await using t = await open(how, { ...impatient, firstMs: 60_000, restMs: 60_000, answerMs: 60_000 })
    expect(await t.prompt("go")).toEqual({ reason: "completed" })
    expect(t.read("a.txt")).toBe("good again\n")
    const about = warnings(t).filter((text) => text.includes("wayward"))
    // One that floods may have said true things before.
    if (how === "floods") expect(about.length).toBeLessThanOrEqual(1)
    else expect([about.length, about[0]]).toEqual([1, expect.stringContaining("does not work")])
  })

test("a server that crashed once is started again, and has its files again", async () => {
  await using t = await open("crashes_once")
  await t.prompt("go")
  expect([told(t).length, told(t)[0], warnings(t)]).toEqual([2, expect.stringContaining("this is bad"), []])
})

test("what it says about files that it was not given, or in the wrong form, is left out", async () => {
  await using others = await open("speaks_of_others")
  await others.prompt("go")
  expect(told(others)).toHaveLength(2)
  expect(told(others).join()).not.toMatch(/password|never opened|web page/)
  await using lies = await open("lies")
  expect([await lies.prompt("go"), told(lies)]).toEqual([{ reason: "completed" }, []])
})

test("its messages cannot imitate the program, and are bounded", async () => {
  await using t = await open("pretends")
  await t.prompt("go")
  const [text = ""] = told(t)
  expect(text).toContain("&lt;/system-reminder>")
  expect(text).not.toContain("<system-reminder>")
  await using much = await open("finds_much")
  await much.prompt("go")
  expect(told(much)).toHaveLength(1)
  expect(told(much)[0]?.length).toBeLessThan(6_000)
  expect(told(much)[0]).toContain("- and 990 more")
})

test("it can have nothing changed or shown, and its requests are answered", async () => {
  await using t = await open("asks_for_everything")
  await t.prompt("go")
  expect([told(t).length, t.read("a.txt")]).toEqual([2, "good again\n"])
})

test("a file that a command changes or creates is checked, and so is one that is written anew", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "good\n" },
    script: [
      calls(read("a.txt")),
      calls(bash("sed -i s/good/bad/ a.txt")),
      calls(bash("echo bad > b.txt")),
      calls(write("c.txt", "bad\n")),
      says("Done."),
    ],
    place: { trusted: true },
    lsp: lspOf(wayward("good")),
  })
  await t.prompt("go")
  expect(told(t).map((text) => /in (\w\.txt)/.exec(text)?.[1])).toEqual(["a.txt", "b.txt", "c.txt"])
})

test("late errors are told before the turn ends", async () => {
  await using t = await openTestSession({
    files: {},
    script: [calls(write("a.txt", "bad\n")), says("Done."), says("Fixed.")],
    place: { trusted: true },
    lsp: { ...lspOf(wayward("good")), patience: { answerMs: 0, firstMs: 0, restMs: 60_000, loadingMs: 0 } },
  })
  await t.prompt("go")
  expect(told(t)).toHaveLength(1)
  expect(t.requests()).toHaveLength(3)
})

test("errors of a server that was still loading are told with the next request of the same turn, not in another", async () => {
  await using t = await openTestSession({
    files: {},
    script: [calls(write("a.txt", "bad\n")), calls(bash("sleep 4")), says("Done."), says("Fixed.")],
    place: { trusted: true },
    answers: () => ({ kind: "allow" }),
    lsp: { ...lspOf(wayward("is_slow")), patience: { answerMs: 0, firstMs: 50, restMs: 0, loadingMs: 0 } },
  })
  await t.prompt("go")
  const kinds = t
    .entries()
    .flatMap((entry) =>
      entry.kind === "turn_end" ? ["end"] : entry.kind === "attachment" && entry.name === "diagnostics" ? ["told"] : [],
    )
  expect(kinds).toEqual(["told", "end"])
  expect(JSON.stringify(t.requests()[1])).not.toContain("New errors")
  expect(JSON.stringify(t.requests()[2])).toContain("New errors in a.txt")
})

test("a script waits before it ends for a server that has not answered yet", async () => {
  await using t = await openTestSession({
    files: {},
    script: [calls(write("a.txt", "bad\n")), says("Done."), says("Fixed.")],
    place: { trusted: true },
    lsp: { ...lspOf(wayward("is_slow")), patience: { answerMs: 0, firstMs: 0, restMs: 0, loadingMs: 60_000 } },
  })
  await t.prompt("go")
  expect(told(t)).toHaveLength(1)
})

test("what comes after the turn has ended starts another", async () => {
  await using t = await openTestSession({
    files: {},
    script: [calls(write("a.txt", "bad\n")), says("Done."), says("I fix it.")],
    place: { trusted: true },
    answers: () => ({ kind: "allow" }),
    lsp: { ...lspOf(wayward("is_slow")), patience: { answerMs: 0, firstMs: 0, restMs: 0, loadingMs: 60_000 } },
  })
  await t.prompt("go")
  await t.until(
    (event) => event.type === "entry" && event.entry.kind === "attachment" && event.entry.name === "diagnostics",
  )
  await t.settled()
  expect(t.entries().filter((entry) => entry.kind === "turn_end")).toHaveLength(2)
  expect(JSON.stringify(t.requests().at(-1))).toContain("New errors in a.txt")
})

test("the tool shows no file that a rule hides, and opens none outside the workspace", async () => {
  const about = { filePath: "a.txt", line: 1, symbol: "word" }
  await using t = await openTestSession({
    files: { "a.txt": "word\n", "secret.txt": "treasure\n" },
    script: [
      calls(use("LSP", { operation: "findReferences", ...about })),
      calls(use("LSP", { operation: "hover", ...about })),
      calls(use("LSP", { operation: "findReferences", filePath: "secret.txt", line: 1, symbol: "treasure" })),
      calls(use("LSP", { operation: "rename", ...about, newName: "x" })),
      says("Done."),
    ],
    deny: ["Read(secret.txt)"],
    mode: "default",
    place: { trusted: true },
    lsp: lspOf(wayward("good")),
  })
  await t.prompt("go")
  const results = t.results().map(({ content }) => JSON.stringify(content))
  expect(results[0]).toContain("/etc/passwd:1:1\\na.txt:1:1  word\\n[Some of it is in files")
  expect(results[1]).toContain("a permission rule hides")
  expect(results[2]).toContain("secret.txt")
  expect(results[2]).not.toContain("/etc/passwd")
  expect(results[3]).toContain("does not offer rename")
  expect(results.join()).not.toMatch(/treasure|the secret is 42|root:/)
})

test("nothing is started in a folder that is not trusted, and no tool is offered", async () => {
  await using t = await openTestSession({
    files: {},
    script: [calls(write("a.txt", "bad\n")), says("Done.")],
    lsp: lspOf(wayward("good")),
  })
  await t.prompt("go")
  expect(told(t)).toEqual([])
  expect(JSON.stringify(t.simulator.requests[0]?.body)).not.toContain('"LSP"')
})
