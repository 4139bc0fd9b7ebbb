/** Keys: tested before they are kept, named when they are rejected, changed and forgotten. */

import { expect, test } from "bun:test"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { openOwnAnthropic } from "../../kit/anthropic/own-anthropic.ts"
import { linesOf, openPlace, type Place, runCodewright } from "../../kit/run-codewright.ts"

const good = "sk-ant-good-0000abcd"
const bad = "sk-ant-bad-00009999"
const keyFile = (place: Place): string => join(place.state, "key.json")

test.concurrent("a key from standard input is tested, kept for the person alone, and used", async () => {
  using place = openPlace()
  await using anthropic = await openOwnAnthropic([good], ["Hello."])
  const login = await runCodewright({ place, argv: ["login"], stdin: `${good}\n`, env: anthropic.env })
  expect(login).toMatchObject({
    code: 0,
    stdout: `Anthropic accepted the key. Saved to ${keyFile(place)}.\n`,
    stderr: "",
  })
  expect(statSync(keyFile(place)).mode & 0o777).toBe(0o600)
  const asked = await runCodewright({ place, argv: ["-p", "hi"], env: anthropic.env })
  expect(asked).toMatchObject({ code: 0, stdout: "Hello.\n" })
  expect(anthropic.seen).toEqual([`/v1/models ${good}`, `/v1/messages ${good}`])
})

test.concurrent("a key that is rejected, or cannot be tested, is not kept", async () => {
  using place = openPlace()
  await using anthropic = await openOwnAnthropic([good])
  const rejected = await runCodewright({ place, argv: ["login"], stdin: bad, env: anthropic.env })
  expect(rejected).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "error: Anthropic rejected this key (401). The key was not saved.\n",
  })
  const nobody = { ...anthropic.env, HTTPS_PROXY: "http://127.0.0.1:9" }
  const unreachable = await runCodewright({ place, argv: ["login"], stdin: good, env: nobody })
  expect(unreachable.code).toBe(1)
  expect(unreachable.stderr).toMatch(/^error: Anthropic could not be reached: .*\. The key was not saved\.\n$/)
  const garbled = await runCodewright({ place, argv: ["login"], stdin: "not a key", env: anthropic.env })
  expect(garbled.stderr).toStartWith("error: That does not look like an API key")
  const nothing = await runCodewright({ place, argv: ["login"], env: anthropic.env })
  expect(nothing.stderr).toStartWith("error: No key came on standard input.")
  const typed = await runCodewright({ place, argv: ["login", good], env: anthropic.env })
  expect(typed.stderr).toStartWith(
    "error: login takes the name of a provider and nothing else. A key on the command line",
  )
  expect(existsSync(keyFile(place))).toBe(false)
})

test.concurrent("a rejected key is named with its place, and how to change it", async () => {
  using place = openPlace()
  await using anthropic = await openOwnAnthropic([good])
  place.write(keyFile(place), JSON.stringify({ version: 1, apiKey: bad }))
  const errorOf = async (env: { readonly [name: string]: string | undefined }): Promise<unknown> => {
    const run = await runCodewright({
      place,
      argv: ["-p", "hi", "--output-format", "json"],
      env: { ...anthropic.env, ...env },
    })
    return linesOf(run.stdout)[0]?.["result"]
  }
  expect(await errorOf({})).toBe(
    `API Error: 401 The key in ${keyFile(place)} (…9999) was rejected (401). codewright login to change the key.`,
  )
  expect(await errorOf({ ANTHROPIC_API_KEY: "sk-ant-other-00001234" })).toBe(
    "API Error: 401 The key in ANTHROPIC_API_KEY (…1234) was rejected (401). Change or unset the variable; it takes precedence over codewright login.",
  )
})

test.concurrent("a saved key is never sent to another address, and the rejection there says so", async () => {
  using place = openPlace()
  await using other = await openOwnAnthropic([good])
  place.write(keyFile(place), JSON.stringify({ version: 1, apiKey: good }))
  const gateway = Bun.serve({
    port: 0,
    fetch(request) {
      expect(request.headers.get("x-api-key")).toBeNull()
      return Response.json({ type: "error", error: { type: "authentication_error", message: "" } }, { status: 401 })
    },
  })
  const env = { ...other.env, ANTHROPIC_BASE_URL: `http://127.0.0.1:${gateway.port}` }
  const run = await runCodewright({ place, argv: ["-p", "hi", "--output-format", "json"], env })
  await gateway.stop(true)
  expect(linesOf(run.stdout)[0]?.["result"]).toBe(
    `API Error: 401 A request without a key was rejected (401). The key in ${keyFile(place)} (…abcd) is not sent, because ANTHROPIC_BASE_URL is set. Set ANTHROPIC_API_KEY to a key for that address.`,
  )
})

test.concurrent("logout removes the saved key, and says which key is still used", async () => {
  using place = openPlace()
  place.write(keyFile(place), JSON.stringify({ version: 1, apiKey: good }))
  const none = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined }
  const first = await runCodewright({ place, argv: ["logout"], env: none })
  expect(first).toMatchObject({ code: 0, stdout: `Removed the key for Anthropic from ${keyFile(place)}.\n` })
  expect(existsSync(keyFile(place))).toBe(false)
  const again = await runCodewright({ place, argv: ["logout"], env: { ...none, ANTHROPIC_API_KEY: bad } })
  expect(again).toMatchObject({
    code: 0,
    stdout: `There is no saved key in ${keyFile(place)}. The key in ANTHROPIC_API_KEY (…9999) is still used.\n`,
  })
})

test.concurrent("whoever chose the simulator and then logs in gets the real model from the next start on", async () => {
  using place = openPlace()
  await using anthropic = await openOwnAnthropic([good], ["Real."])
  place.write(join(place.state, "settings.json"), '{ "model": "sim" }\n')
  const login = await runCodewright({ place, argv: ["login"], stdin: good, env: anthropic.env })
  expect(login.stdout).toContain("The model is now default instead of the simulator.")
  expect(JSON.parse(readFileSync(join(place.state, "settings.json"), "utf8"))).toEqual({ model: "default" })
  expect(await runCodewright({ place, argv: ["-p", "hi"], env: anthropic.env })).toMatchObject({ stdout: "Real.\n" })
})
