/** Signing in to OpenRouter, against a server that does what it documents: one code for one challenge, used once. */

import { expect, test } from "bun:test"
import { openSignIn, type SignIn } from "#ground/models/sign-in.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { openRouterMock, type RouterMock } from "../../../kit/router-mock.ts"

const patient = new AbortController().signal

const open = (mock: Pick<RouterMock, "baseUrl">, code: "here" | "pasted" = "here"): SignIn =>
  openSignIn({ who: "OpenRouter", baseUrl: mock.baseUrl, code, ids: systemIds, clock: systemClock, send: fetch })

const callbackIn = (url: string): string => new URL(url).searchParams.get("callback_url") ?? ""

test("the browser comes back with a code, which becomes the key", async () => {
  await using mock = openRouterMock()
  const signIn = open(mock)
  const came = signIn.waitForBrowser(patient)
  const page = await fetch(signIn.url)
  expect(await page.text()).toContain("You can close this page")
  expect(await came).toEqual({ ok: true, value: mock.key })
  expect(new URL(signIn.url).searchParams.get("code_challenge_method")).toBe("S256")
  expect(callbackIn(signIn.url)).toMatch(/^http:\/\/localhost:\d+\/callback\/[0-9a-f-]{36}$/)
})

test("only who knows the state is heard, once, and nobody afterwards", async () => {
  await using mock = openRouterMock()
  const signIn = open(mock)
  const came = signIn.waitForBrowser(patient)
  const back = callbackIn(signIn.url).replace("localhost", "127.0.0.1")
  const { origin } = new URL(back)
  expect((await fetch(`${origin}/callback/guess?code=stolen-code`)).status).toBe(404)
  expect((await fetch(`${origin}/?code=stolen-code`)).status).toBe(404)
  expect((await fetch(`${back}?code=x`, { method: "POST" })).status).toBe(404)
  const code = await mock.approve(signIn.url)
  const [first, second] = await Promise.all([fetch(`${back}?code=${code}`), came.then(() => fetch(back).catch(String))])
  expect(first.status).toBe(200)
  expect(typeof second === "string" || second.status === 404).toBe(true)
  expect(await came).toEqual({ ok: true, value: mock.key })
  expect(mock.exchanged()).toEqual([code])
})

test("from another machine the code is pasted, or the address that the browser ended at", async () => {
  await using mock = openRouterMock()
  const elsewhere = open(mock, "pasted")
  expect(new URL(elsewhere.url).searchParams.has("callback_url")).toBe(false)
  expect(await elsewhere.exchangeCode(` ${await mock.approve(elsewhere.url)}\n`, patient)).toEqual({
    ok: true,
    value: mock.key,
  })

  const here = open(mock)
  const stop = new AbortController()
  const came = here.waitForBrowser(stop.signal)
  const ended = `${callbackIn(here.url)}?code=${await mock.approve(here.url)}`
  expect(await here.exchangeCode(ended, patient)).toEqual({ ok: true, value: mock.key })
  stop.abort()
  expect(await came).toBeUndefined()
  expect(fetch(ended.replace("localhost", "127.0.0.1"))).rejects.toThrow()
})

test("what is pasted and belongs to nobody, or to another sign-in, is sent nowhere", async () => {
  await using mock = openRouterMock()
  const other = open(mock)
  const signIn = open(mock, "pasted")
  const theirs = `${callbackIn(other.url)}?code=${await mock.approve(other.url)}`
  for (const pasted of [
    "",
    "short",
    "two words of code",
    theirs,
    "https://evil.example/?code=abcdefghij",
    "http://[",
  ]) {
    const taken = await signIn.exchangeCode(pasted, patient)
    expect(!taken.ok && taken.failure).toStartWith("That is neither a code nor the address")
  }
  expect(mock.exchanged()).toEqual([])
  const stop = AbortSignal.abort()
  expect(await other.waitForBrowser(stop)).toBeUndefined()
})

test("a code of another sign-in, a used code, a refusal and a server that is gone are said", async () => {
  const mock = openRouterMock()
  const signIn = open(mock, "pasted")
  const stranger = await signIn.exchangeCode(await mock.approve(open(mock, "pasted").url), patient)
  expect(!stranger.ok && stranger.failure).toBe(
    "OpenRouter did not accept the code (403). It may be used or expired. Sign in again.",
  )
  const code = await mock.approve(signIn.url)
  expect((await signIn.exchangeCode(code, patient)).ok).toBe(true)
  expect((await signIn.exchangeCode(code, patient)).ok).toBe(false)

  const refused = open(mock)
  const came = refused.waitForBrowser(patient)
  await fetch(`${callbackIn(refused.url).replace("localhost", "127.0.0.1")}?error=access_denied`)
  expect(await came).toEqual({ ok: false, failure: "OpenRouter did not give access." })

  await mock[Symbol.asyncDispose]()
  const gone = await signIn.exchangeCode("abcdefghij", patient)
  expect(!gone.ok && gone.failure).toMatch(
    /^OpenRouter could not be reached: .*\. Check the network, then sign in again\.$/,
  )
})

test("nobody who comes within the time ends the wait and the server", async () => {
  await using mock = openRouterMock()
  let late: () => void = () => {}
  const clock = {
    ...systemClock,
    after: (_: number, run: () => void) => {
      late = run
      return () => {}
    },
  }
  const signIn = openSignIn({
    who: "OpenRouter",
    baseUrl: mock.baseUrl,
    code: "here",
    ids: systemIds,
    clock,
    send: fetch,
  })
  const came = signIn.waitForBrowser(patient)
  late()
  expect(await came).toEqual({ ok: false, failure: "Nobody signed in within ten minutes. Sign in again." })
  expect(fetch(callbackIn(signIn.url).replace("localhost", "127.0.0.1"))).rejects.toThrow()
})
