import { expect, test } from "bun:test"
import { systemResolve } from "#ground/web/resolve.ts"
import { failed } from "#lib/result.ts"
import { patient } from "./local-site.ts"

test("the system knows where its own names lead", async () => {
  const found = await systemResolve("localhost", patient)
  expect(found.ok && found.value.some((address) => address === "127.0.0.1" || address === "::1")).toBe(true)
})

test("an interruption is not kept waiting by a name server", async () => {
  const stop = new AbortController()
  const asked = systemResolve("nowhere.invalid", stop.signal)
  stop.abort()
  expect((await asked).ok).toBe(false)
  expect(await systemResolve("localhost", stop.signal)).toEqual(failed("interrupted"))
})
