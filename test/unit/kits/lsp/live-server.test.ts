import { expect, test } from "bun:test"
import type { LanguageClient } from "#ground/lsp/client.ts"
import type { LanguageServer } from "#ground/lsp/server-config.ts"
import { openLiveServer, type LiveServerPorts } from "#kits/lsp/live-server.ts"
import type { Clock } from "#lib/clock.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok } from "#lib/result.ts"

const config: LanguageServer = { name: "x", source: "settings", command: "x", args: [], env: {}, languages: {} }
const never = new AbortController().signal

/** Time runs out at once; what was waited for is kept. */
function hastyClock(): { readonly clock: Clock; readonly waited: number[] } {
  const waited: number[] = []
  return {
    waited,
    clock: {
      ...systemClock,
      async sleep(ms) {
        waited.push(ms)
      },
    },
  }
}

const fakeClient = (more: Partial<LanguageClient>): LanguageClient => ({
  sync: () => {},
  forget: () => {},
  checked: () => new Promise(() => {}),
  problems: () => undefined,
  supports: () => true,
  ask: async () => failed({ kind: "aborted" }),
  closed: new Promise(() => {}),
  close: async () => {},
  ...more,
})

const open = (ports: Partial<LiveServerPorts>) =>
  openLiveServer(config, "/", {
    start: async () => ok(fakeClient({})),
    warn: () => {},
    clock: systemClock,
    permission: () => "yes",
    ...ports,
  })

test("a server that does not answer is waited for once, and longer only where there is more time", async () => {
  const { clock, waited } = hastyClock()
  const server = open({ clock })
  server.start()
  for (const ms of [100, 100, 100, 300, 300, 100]) await server.wait(ms, never)
  expect(waited).toEqual([100, 300])
})

test("once it answers, it is waited for again", async () => {
  const { clock, waited } = hastyClock()
  let answer = (): void => {}
  const server = open({
    clock,
    start: async () => ok(fakeClient({ checked: () => new Promise((resolve) => (answer = resolve)) })),
  })
  server.start()
  await server.wait(100, never)
  answer()
  await Bun.sleep(0)
  expect(server.hasAnswered()).toBe(true)
  await server.wait(100, never)
  expect(waited).toEqual([100, 100])
})

test("one that ends is started once more with its files, then given up with a word to the user", async () => {
  const given: string[][] = []
  const warnings: string[] = []
  const ends: ((why: string) => void)[] = []
  const server = open({
    warn: (text) => void warnings.push(text),
    start: async () => {
      const texts: string[] = []
      given.push(texts)
      const closed = Promise.withResolvers<string>()
      ends.push(closed.resolve)
      return ok(fakeClient({ sync: (path) => void texts.push(path), closed: closed.promise }))
    },
  })
  server.start()
  server.sync("/a", "text")
  await Bun.sleep(0)
  for (const nth of [0, 1, 2]) {
    ends[nth]?.("gone")
    await Bun.sleep(0)
  }
  expect(given).toEqual([["/a"], ["/a"]])
  expect(warnings).toEqual(["The language server x (x) does not work: gone. It is not used in this session."])
  expect([server.status(), await server.client(never)]).toEqual(["failed", { ok: false, failure: "gone" }])
})

test("nothing starts without permission", async () => {
  let starts = 0
  const server = open({
    permission: () => "ask",
    start: async () => {
      starts++
      return failed("no")
    },
  })
  server.start()
  await server.wait(1_000, never)
  expect([starts, server.status(), (await server.client(never)).ok]).toEqual([0, "asks first", false])
})
