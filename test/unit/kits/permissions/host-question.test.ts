/** A new host is asked about once, whatever waits for it; what is answered holds as long as it was meant to. */

import { expect, test } from "bun:test"
import type { Grant, PermissionMode, RuleSource } from "#agent/words/permission.ts"
import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import { openGrants } from "#kits/permissions/grants.ts"
import { openHostQuestions } from "#kits/permissions/host-question.ts"
import { deferred } from "#lib/deferred.ts"
import { ok } from "#lib/result.ts"
import { decideCase, type RuleLists, rulesFrom } from "./judge.ts"

const patient = new AbortController().signal

/** Whoever answers: at once when given an answer, otherwise when the test says so. */
function openAsking({
  rules = {},
  mode = "default",
  source = "user settings",
}: { readonly rules?: RuleLists; readonly mode?: PermissionMode; readonly source?: RuleSource } = {}) {
  const asked: { readonly ask: QuestionAsk & { kind: "permission" }; readonly answer: (answer: Answer) => void }[] = []
  const given = rulesFrom(rules, source)
  const kept: Grant[] = []
  const grants = openGrants({
    rules: () => given,
    record: (body) => {
      if (body.kind !== "grant") return
      kept.push({ rule: body.rule, destination: body.destination })
      grants.apply(body)
    },
    save: () => ok(undefined),
  })
  const askForHost = openHostQuestions({
    judge: ({ tool, ...call }, how) => decideCase({ ...call, tool: tool.name, mode: how, rules: grants.rules() }),
    mode: () => mode,
    grants,
    ask(ask, signal) {
      const answered = deferred<Answer>()
      if (ask.kind !== "permission") throw new Error("another question")
      asked.push({ ask, answer: answered.resolve })
      signal.addEventListener("abort", () => answered.resolve(signal.reason as Answer))
      return answered.promise
    },
    commandOf: (callId) => (callId === "c1" ? "npm ci" : undefined),
  })
  return { asked, kept, grants, askForHost }
}

test("twenty connections are one question, which names the host and the command", async () => {
  const { asked, askForHost } = openAsking()
  const all = Array.from({ length: 20 }, () =>
    askForHost({ host: "registry.npmjs.org", port: 443, callId: "c1" }, patient),
  )
  await Promise.resolve()
  expect(asked.map(({ ask }) => ask)).toMatchObject([
    {
      title: "Connect to registry.npmjs.org",
      question: "Connect to registry.npmjs.org?",
      input: { command: "npm ci" },
      why: "This command runs in the sandbox, and no rule allows this host yet.",
      suggestedRule: "WebFetch(domain:registry.npmjs.org)",
    },
  ])
  asked[0]?.answer({ kind: "allow" })
  expect(new Set(await Promise.all(all))).toEqual(new Set(["allow"]))
})

test("a port of its own is named; a hook or a server has no command to show", async () => {
  const { asked, askForHost } = openAsking()
  void askForHost({ host: "mirror.test", port: 8080 }, patient)
  await Promise.resolve()
  expect(asked[0]?.ask).toMatchObject({
    question: "Connect to mirror.test:8080?",
    why: "A hook or a server runs in the sandbox, and no rule allows this host yet.",
  })
  expect(asked[0]?.ask.input).toEqual({})
})

test("once is for the command that wanted it: the next one is asked about again", async () => {
  const { asked, askForHost } = openAsking()
  const first = askForHost({ host: "example.com", callId: "c1" }, patient)
  asked[0]?.answer({ kind: "allow" })
  expect(await first).toBe("allow")
  expect(await askForHost({ host: "example.com", callId: "c1" }, patient)).toBe("allow")
  expect(asked.length).toBe(1)
  void askForHost({ host: "example.com", callId: "c2" }, patient)
  expect(asked.length).toBe(2)
})

test("no is for the session, and is not asked again", async () => {
  const { asked, askForHost } = openAsking()
  const first = askForHost({ host: "example.com", callId: "c1" }, patient)
  asked[0]?.answer({ kind: "deny", interrupt: true })
  expect(await first).toBe("deny")
  expect(await askForHost({ host: "example.com", callId: "c2" }, patient)).toBe("deny")
  expect(asked.length).toBe(1)
})

test("a rule given with the answer is kept, and speaks for the host from then on", async () => {
  const { asked, kept, askForHost } = openAsking()
  const first = askForHost({ host: "example.com", callId: "c1" }, patient)
  const grant: Grant = { rule: "WebFetch(domain:example.com)", destination: "session" }
  asked[0]?.answer({ kind: "allow", grants: [grant] })
  expect(await first).toBe("allow")
  expect(kept).toEqual([grant])
  expect(await askForHost({ host: "example.com", callId: "c2" }, patient)).toBe("allow")
  expect(asked.length).toBe(1)
})

test("a rule that comes while the question waits answers it", async () => {
  const { asked, grants, askForHost } = openAsking()
  const first = askForHost({ host: "example.com", callId: "c1" }, patient)
  grants.remember({ rule: "WebFetch(domain:example.com)", destination: "session" })
  expect(await first).toBe("allow")
  expect(asked.length).toBe(1)
})

test("the question is withdrawn when nobody waits for it any more, and not before", async () => {
  const { asked, askForHost } = openAsking()
  const [one, other] = [new AbortController(), new AbortController()]
  const first = askForHost({ host: "example.com", callId: "c1" }, one.signal)
  const second = askForHost({ host: "example.com", callId: "c1" }, other.signal)
  one.abort()
  asked[0]?.answer({ kind: "allow" })
  expect([await first, await second]).toEqual(["allow", "allow"])
  const third = askForHost({ host: "other.example", callId: "c1" }, other.signal)
  other.abort()
  expect(await third).toBe("deny")
  // Nobody said no, so it may be asked again.
  void askForHost({ host: "other.example", callId: "c1" }, patient)
  expect(asked.length).toBe(3)
})

test.each<[mode: PermissionMode, rules: RuleLists, verdict: "allow" | "deny" | "asks"]>([
  ["dontAsk", {}, "deny"],
  ["bypassPermissions", {}, "allow"],
  ["bypassPermissions", { deny: ["WebFetch(domain:example.com)"] }, "deny"],
  ["default", { deny: ["WebFetch(domain:*.example.com)", "WebFetch(domain:example.com)"] }, "deny"],
  ["default", { allow: ["WebFetch(domain:example.com)"] }, "allow"],
  ["default", { allow: ["WebFetch(domain:example.com)"], ask: ["WebFetch(domain:example.com)"] }, "asks"],
  // To fetch any page is not to reach any host.
  ["default", { allow: ["WebFetch"] }, "asks"],
  ["default", { allow: ["WebFetch(domain:*)"] }, "asks"],
  ["acceptEdits", {}, "asks"],
  ["auto", {}, "asks"],
])("in the mode %s with %j: %s", async (mode, rules, verdict) => {
  const { asked, askForHost } = openAsking({ mode, rules })
  const waiting = askForHost({ host: "example.com", callId: "c1" }, patient)
  expect(asked.length).toBe(verdict === "asks" ? 1 : 0)
  if (verdict !== "asks") expect(await waiting).toBe(verdict)
})

test("a rule that came with the project opens no host", async () => {
  const rules = { allow: ["WebFetch(domain:example.com)"] }
  for (const [source, questions] of [
    ["user settings", 0],
    ["project settings", 1],
  ] as const) {
    const { asked, askForHost } = openAsking({ rules, source })
    void askForHost({ host: "example.com", port: 443 }, patient)
    await Promise.resolve()
    expect([source, asked.length]).toEqual([source, questions])
  }
})

test("nobody to ask is a no", async () => {
  const { asked, askForHost } = openAsking()
  const first = askForHost({ host: "example.com" }, patient)
  asked[0]?.answer({ kind: "unanswered", why: "nobody can be asked in this run" })
  expect(await first).toBe("deny")
})
