/** Panels about providers: what comes without a key press, what is left behind, and what follows from a key. */

import { expect, test } from "bun:test"
import type { KeyKept } from "#faces/tui/panels/key.ts"
import type { PanelPorts } from "#faces/tui/panels/ports.ts"
import type { ProvidersPort } from "#faces/tui/panels/provider-panel-port.ts"
import type { ModelRow } from "#session/opening/choices.ts"
import { openOnPaper, type OnPaper } from "./on-paper.ts"
import { somePort } from "./provider-scenes.ts"

const enter = "\r"
const escape = "\u001b"

async function open(panels: PanelPorts, ...lines: readonly string[]): Promise<OnPaper> {
  const paper = await openOnPaper(100, 40, { panels })
  for (const line of lines) {
    await paper.type(line)
    await paper.pass(400)
  }
  return paper
}

/** A sign-in whose browser comes back when the test says so. */
function signingIn(): { port: ProvidersPort; comeBack: (kept: KeyKept) => void; stopped: () => boolean } {
  const back = Promise.withResolvers<KeyKept>()
  let isStopped = false
  const port: ProvidersPort = {
    ...somePort(),
    signIn: async () => ({
      url: "https://openrouter.ai/auth",
      how: "comes back",
      came(signal) {
        signal.addEventListener("abort", () => (isStopped = true))
        return back.promise
      },
      exchangeCode: async () => ({ kind: "rejected", message: "That is no code." }),
    }),
  }
  return { port, comeBack: back.resolve, stopped: () => isStopped }
}

test("the browser comes back while the address is on the screen: that settles it", async () => {
  const { port, comeBack } = signingIn()
  const paper = await open({ login: port }, `/login openrouter${enter}`, enter, "1")
  expect(await paper.terminal.screen()).toContain("Open this address in a browser on this computer:")
  comeBack({ kind: "kept", message: "OpenRouter accepted the key." })
  await paper.pass(400)
  const screen = await paper.terminal.screen()
  expect(screen).toContain("OpenRouter accepted the key. Choose a model with /model.")
  expect(screen).not.toContain("Sign in to OpenRouter")
})

test("a sign-in that failed stays on the screen with the reason; a code can still be pasted", async () => {
  const { port, comeBack } = signingIn()
  const paper = await open({ login: port }, `/login openrouter${enter}`, enter, "1")
  comeBack({ kind: "rejected", message: "OpenRouter did not give access." })
  await paper.pass(400)
  expect(await paper.terminal.screen()).toContain("OpenRouter did not give access.")
  await paper.type("some-code")
  await paper.type(enter)
  await paper.pass(400)
  expect(await paper.terminal.screen()).toContain("That is no code.")
})

test("whoever leaves is not waited for, and what comes later changes nothing", async () => {
  const { port, comeBack, stopped } = signingIn()
  const paper = await open({ login: port }, `/login openrouter${enter}`, enter, "1", escape)
  expect(stopped()).toBe(true)
  comeBack({ kind: "kept", message: "OpenRouter accepted the key." })
  await paper.pass(400)
  const screen = await paper.terminal.screen()
  expect(screen).toContain("Sign in with a browser")
  expect(screen).not.toContain("accepted the key")
})

test("a saved key is removed with a key press, and only where there is one", async () => {
  const did: unknown[] = []
  const login = somePort((...what) => did.push(what))
  const paper = await open({ login }, `/login${enter}`, "\u0004")
  expect(await paper.terminal.screen()).toContain("There is no saved key to remove here.")
  await paper.type("\u001b[B")
  await paper.type("\u0004")
  await paper.pass(400)
  expect(await paper.terminal.screen()).toContain("Removed the key for Groq")
  expect(did).toEqual([["forget", "groq"]])
})

test("what a slow provider has comes when it comes, and the choice stays where it was", async () => {
  const slow = Promise.withResolvers<void>()
  const row = (id: string, who: string): ModelRow => ({ id, aliases: [], who, window: 1000 })
  const models: PanelPorts["models"] = {
    list: async () => [row("claude-sonnet-5", "Anthropic"), row("claude-opus-5", "Anthropic")],
    more(found) {
      found([row("ollama/qwen3", "Ollama")])
      void slow.promise.then(() => found([row("slow/one", "Slow")]))
    },
  }
  const paper = await open({ models }, `/model${enter}`, "\u001b[B", "\u001b[B")
  const before = await paper.terminal.screen()
  expect(before).toContain("❯   ollama/qwen3")
  expect(before).not.toContain("slow/one")
  slow.resolve()
  await paper.pass(400)
  const after = await paper.terminal.screen()
  expect(after).toContain("slow/one")
  expect(after).toContain("❯   ollama/qwen3")
})

test("a model that needs a key asks for it, and then the list is there again with what the provider has", async () => {
  const did: unknown[] = []
  let hasKey = false
  const providers = somePort((...what) => {
    did.push(what)
    hasKey = true
  })
  const needs = { words: "needs a key: OPENAI_API_KEY", key: { name: "openai", who: "OpenAI" } }
  const models: PanelPorts["models"] = {
    list: async () => (hasKey ? [] : [{ id: "openai/…", aliases: [], who: "OpenAI", window: 1000, needs }]),
    more: (found) => found(hasKey ? [{ id: "openai/gpt-5.5", aliases: [], who: "OpenAI", window: 400_000 }] : []),
    providers,
  }
  const paper = await open({ models }, `/model${enter}`, "\u001b[B", enter, "sk-0123456789", enter)
  expect(did).toEqual([["key", "openai", "sk-0123456789", "tested"]])
  const screen = await paper.terminal.screen()
  expect(screen).toContain("OpenAI accepted the key.")
  expect(screen).toContain("openai/gpt-5.5")
  expect(screen).not.toContain("openai/…")
})
