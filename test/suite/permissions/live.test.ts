/** Settings files that change while a session is open: stricter at once, freer not before the next start. */

import { expect, test } from "bun:test"
import type { RuleText } from "#kits/permissions/rules/rule.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, use } from "../../kit/script.ts"

type Hear = (written: Result<readonly RuleText[], string>) => void
const rule = (behavior: RuleText["behavior"], text: string): RuleText => ({ behavior, text, source: "user settings" })

function listening() {
  let hear: Hear = () => {}
  let ended = false
  const watch = (told: Hear) => {
    hear = told
    return () => void (ended = true)
  }
  return {
    watch,
    say: (written: readonly RuleText[]) => hear(ok(written)),
    tell: (...a: Parameters<Hear>) => hear(...a),
    ended: () => ended,
  }
}

test("a new deny holds for the next call and hides files; a new allow waits and is named; removing an allow takes it away", async () => {
  const files = listening()
  await using t = await openTestSession({
    script: [
      calls(read("secret.txt")),
      says("Read."),
      calls(read("secret.txt")),
      calls(use("Grep", { pattern: "hush", output_mode: "files_with_matches" })),
      calls(bash("touch made")),
      says("Refused."),
    ],
    mode: "default",
    files: { "secret.txt": "hush\n", "open.txt": "hush\n" },
    watch: files.watch,
  })
  await t.prompt("read it")
  expect(t.results().at(-1)).toMatchObject({ isError: false })
  files.say([rule("deny", "Read(secret.txt)"), rule("allow", "Write")])
  await t.prompt("again")
  const [denied, searched, ran] = t.results().slice(1)
  expect(denied).toMatchObject({ tool: "Read", isError: true, denied: {} })
  expect(searched?.content).toContain("open.txt")
  expect(searched?.content).not.toContain("secret.txt")
  // The rule that allowed Bash is gone from the files.
  expect(ran).toMatchObject({ tool: "Bash", isError: true, denied: {} })
  const notices = t.entries().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))
  expect(notices).toEqual([
    "The settings changed: their stricter rules apply from now on.",
    "The settings changed: what would permit more waits for the next start (allow Write). To permit it now, add it with /permissions or answer a question with always.",
  ])
})

test("a file that cannot be read changes nothing and is named; what the person granted themselves does not wait", async () => {
  const files = listening()
  {
    await using t = await openTestSession({
      script: [calls(bash("touch made")), says("Done.")],
      allow: [],
      mode: "default",
      answers: () => ({ kind: "allow", remember: { rule: "Bash(touch:*)", destination: "session" } }),
      watch: files.watch,
    })
    files.tell(failed("settings.json:3:1: a comma is missing."))
    await t.prompt("make it")
    expect(t.results().at(-1)).toMatchObject({ isError: false })
    files.say([rule("allow", "Bash(touch:*)")])
    const notices = t.entries().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))
    expect(notices).toEqual(["The settings of before stay in force: settings.json:3:1: a comma is missing."])
    expect(files.ended()).toBe(false)
  }
  expect(files.ended()).toBe(true)
})

test("a rule that was given for a file counts no more once it is taken out of the file", async () => {
  const files = listening()
  let asked = 0
  const local: RuleText = { behavior: "allow", text: "Bash(touch:*)", source: "local settings" }
  await using t = await openTestSession({
    script: [
      calls(bash("touch a")),
      says("One."),
      calls(bash("touch b")),
      says("Two."),
      calls(bash("touch c")),
      says("Three."),
    ],
    allow: [],
    mode: "default",
    answers() {
      asked++
      return { kind: "allow", grants: [{ rule: "Bash(touch:*)", destination: "local settings" }] }
    },
    watch: files.watch,
  })
  await t.prompt("one")
  files.say([local])
  await t.prompt("two")
  expect(asked).toBe(1)
  files.say([])
  await t.prompt("three")
  expect(asked).toBe(2)
})

test("a guard that was given in the session is no news when its file has it", async () => {
  const files = listening()
  await using t = await openTestSession({
    script: [calls(bash("mkdir c")), says("Refused.")],
    allow: [],
    mode: "default",
    watch: files.watch,
  })
  await t.session.submit({ type: "add_rule", behavior: "deny", rule: "Bash(mkdir:*)", destination: "user settings" })
  files.say([rule("deny", "Bash(mkdir:*)")])
  await t.prompt("make it")
  expect(t.results().at(-1)).toMatchObject({ isError: true, denied: {} })
  expect(t.entries().filter(({ kind }) => kind === "notice")).toEqual([])
})
