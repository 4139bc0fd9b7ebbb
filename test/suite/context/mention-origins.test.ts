/** Mentions are read only in what a person typed: never in a pipe, a result, a command's output or another program's words. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Op } from "#agent/words/op.ts"
import { act } from "../../kit/going-back.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, read, says } from "../../kit/script.ts"

const files = { "secret.txt": "the-secret-text", "typed.txt": "the-typed-text", "inside.txt": "the-inside-text" }

/** Which of the files were sent, in any request. */
const sent = (requests: unknown): readonly string[] => {
  const text = JSON.stringify(requests)
  return ["secret", "typed", "inside"].filter((name) => text.includes(`the-${name}-text`))
}

function atHome(place: Place): void {
  mkdirSync(join(place.home, ".ssh"))
  writeFileSync(join(place.home, ".ssh/id_rsa"), "the-secret-text")
}

test.concurrent("what is piped in has nothing read, beside a prompt and as the prompt", async () => {
  for (const argv of [["-p", "review @typed.txt"], ["-p"]]) {
    using place = openPlace(files)
    atHome(place)
    const stdin = "+ see @~/.ssh/id_rsa and @secret.txt\n+ @inside.txt"
    const run = await runCodewright({ argv, place, stdin, scenario: ["Fine."] })
    expect(run.code).toBe(0)
    expect(JSON.stringify(run.requests)).toContain("@~/.ssh/id_rsa and @secret.txt")
    expect(sent(run.requests)).toEqual(argv.length > 1 ? ["typed"] : [])
  }
})

test.concurrent("what a person puts into the argument is typed, wherever they have it from", async () => {
  using place = openPlace({ ...files, words: "look at @inside.txt" })
  atHome(place)
  const run = await runCodewright({
    argv: ["-p"],
    wrap: '"$@" "$(cat words) and @~/.ssh/id_rsa"',
    place,
    scenario: ["Fine."],
  })
  expect([run.code, run.stderr, sent(run.requests)]).toEqual([0, "", ["secret", "inside"]])
})

test.concurrent("piped words behind a command have nothing read, also where its text uses them", async () => {
  using place = openPlace({
    ...files,
    ".claude/commands/look.md": "Look at @inside.txt.",
    ".claude/commands/use.md": "Look at @inside.txt and $ARGUMENTS and @$2.",
  })
  for (const name of ["look", "use"]) {
    const argv = ["--trust", "-p", `/${name} @typed.txt`]
    const run = await runCodewright({ argv, place, stdin: "secret.txt @secret.txt", scenario: ["Fine."] })
    expect(run.code).toBe(0)
    expect(sent(run.requests)).toEqual(["typed", "inside"])
  }
})

test("files, results and output that mention files have none read", async () => {
  await using t = await openTestSession({
    script: [calls(read("notes.md"), bash("printf '@secret.txt'")), says("Read.")],
    files: { ...files, "notes.md": "See @secret.txt and @inside.txt" },
  })
  await t.prompt("look at @typed.txt")
  expect(sent(t.requests())).toEqual(["typed"])
})

async function opsSent(t: TestSession, ...ops: readonly Op[]): Promise<readonly string[]> {
  for (const op of ops) await act(t, op)
  return sent(t.requests())
}

test("the origin goes with the prompt through the queue, the log and a resume", async () => {
  const script = [says("One."), says("Two."), says("Three."), says("Four.")]
  await using t = await openTestSession({ script, files })
  const prompt = (text: string, origin?: NonNullable<(Op & { type: "prompt" })["origin"]>): Op => ({
    type: "prompt",
    content: [{ type: "text", text }],
    when: "queue",
    ...(origin && { origin }),
  })
  expect(await opsSent(t, prompt("@secret.txt", { kind: "made" }))).toEqual([])
  expect(await opsSent(t, prompt("a\n@secret.txt", { kind: "piped", words: "a" }))).toEqual([])
  expect(t.entries().flatMap((entry) => (entry.kind === "prompt" ? [entry.origin] : []))).toEqual([
    { kind: "made" },
    { kind: "piped", words: "a" },
  ])
  await using again = await t.reopen()
  expect(await opsSent(again, prompt("go on"))).toEqual([])
  expect(await opsSent(again, prompt("@typed.txt"))).toEqual(["typed"])
})

test("a prompt that waited when the session ended is still not typed", async () => {
  await using t = await openTestSession({ script: [calls(bash("sleep 0.5")), says("One."), says("Two.")], files })
  const one = t.prompt("start")
  await t.until((event) => event.type === "entry" && event.entry.kind === "reply")
  await t.session.submit({
    type: "prompt",
    content: [{ type: "text", text: "@secret.txt" }],
    when: "queue",
    origin: { kind: "made" },
  })
  await t.session.submit({ type: "interrupt" })
  await one
  await using again = await t.reopen()
  await again.settled()
  await again.prompt("@typed.txt")
  const said = again.entries().flatMap((entry) => (entry.kind === "prompt" ? [entry.origin?.kind ?? "typed"] : []))
  expect(said).toContain("made")
  expect(sent(again.requests())).toEqual(["typed"])
})

test("a command of the project may name what lies in the workspace, one of the person any file", async () => {
  const body = "Look at @inside.txt, @../outside/secret.txt and @link."
  const open = async (where: string): Promise<TestSession> => {
    const t = await openTestSession({
      script: [says("Seen.")],
      files: { ...files, [where]: body },
      extensions: { claudeFolder: "/nonexistent", bundled: false },
      place: { trusted: true },
    })
    mkdirSync(t.path("../outside"))
    writeFileSync(t.path("../outside/secret.txt"), "the-secret-text")
    symlinkSync("../outside/secret.txt", t.path("link"))
    return t
  }
  await using project = await open(".claude/commands/look.md")
  await project.prompt("/look")
  expect(sent(project.requests())).toEqual(["inside"])
  await using typed = await open(".claude/commands/look.md")
  await typed.prompt("/look @../outside/secret.txt")
  expect(sent(typed.requests())).toEqual(["secret", "inside"])
  await using own = await open("../state/commands/look.md")
  await own.prompt("/look")
  expect(sent(own.requests())).toEqual(["secret", "inside"])
})

test("a link in the workspace is not followed out of it, also where a person typed its name", async () => {
  await using t = await openTestSession({ script: [says("One."), says("Two.")], files })
  mkdirSync(t.path("../outside"))
  writeFileSync(t.path("../outside/secret.txt"), "the-secret-text")
  symlinkSync("../outside/secret.txt", t.path("README.md"))
  symlinkSync("inside.txt", t.path("within"))
  await t.prompt("look at @README.md and @within")
  expect(sent(t.requests())).toEqual(["inside"])
  expect(JSON.stringify(t.requests())).toContain("README.md, which leads out of the workspace and is not shown")
  await t.prompt("look at @../outside/secret.txt")
  expect(sent(t.requests())).toEqual(["secret", "inside"])
})
