/** Gemini as users name it: by its variables, with its signatures kept from one run to the next. */

import { expect, test } from "bun:test"
import { asScenario, linesOf, openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { use } from "../../kit/script.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { openSimulator, type Simulator } from "#sim/server.ts"

const json = ["--output-format", "json"]
const key = "AIzaSyA-0123456789abcdefghijklmnopqrstu"

async function behind<T>(
  replies: Parameters<typeof asScenario>[0],
  work: (simulator: Simulator) => Promise<T>,
): Promise<T> {
  const opened = await openSimulator({ scenario: asScenario(replies) })
  if (!opened.ok) throw new Error(opened.failure.message)
  try {
    const done = await work(opened.value)
    expect(opened.value.stats().refusals).toBe(0)
    const breaks = opened.value.stats().cacheBreaks.filter(({ changed }) => changed !== "model")
    expect(breaks).toEqual([])
    return done
  } finally {
    await opened.value.close()
  }
}

/** It is in no table. */
const assumed: string = expect.stringMatching(/^Nothing is known about gemini\/gemini-4-argon\. Assumed: .*\n$/)

const noAnthropic = { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined }
const partsIn = (body: JsonValue): readonly JsonValue[] =>
  (isObject(body) && Array.isArray(body.contents) ? body.contents : []).flatMap((content: JsonValue) =>
    isObject(content) && Array.isArray(content.parts) ? content.parts : [],
  )

test("gemini/… works with a key in either variable, with tools, and is resumed with its signatures", async () => {
  using place = openPlace()
  const replies = [
    {
      content: [
        { thinking: "A file is needed." },
        { text: "I write." },
        use("Write", { file_path: "a.txt", content: "one\n" }),
        use("Bash", { command: "cat a.txt" }),
      ],
    },
    "Done.",
    "You are welcome.",
  ]
  await behind(replies, async ({ url, requests }) => {
    const argv = ["--model", "gemini/gemini-4-argon", "--permission-mode", "acceptEdits", ...json]
    const first = await runCodewright({
      place,
      argv: ["-p", "write it", ...argv],
      env: { ...noAnthropic, GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url },
    })
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: assumed })
    expect(linesOf(first.stdout)).toMatchObject([{ subtype: "success", result: "Done.", num_turns: 2 }])
    expect(first.stdout).not.toContain(key)
    expect(await place.read("a.txt")).toBe("one\n")

    const second = await runCodewright({
      place,
      argv: ["-p", "thank you", "--continue", ...argv],
      env: { ...noAnthropic, GOOGLE_API_KEY: key, GOOGLE_GEMINI_BASE_URL: `${url}/v1beta/` },
    })
    expect({ code: second.code, stderr: second.stderr }).toEqual({ code: 0, stderr: assumed })
    expect(linesOf(second.stdout)).toMatchObject([{ result: "You are welcome." }])
    expect(requests.map(({ path }) => path)).toEqual(
      Array<string>(3).fill("/v1beta/models/gemini-4-argon:streamGenerateContent"),
    )
    const signed = partsIn(requests[2]?.body ?? null).filter((part) => isObject(part) && part.thoughtSignature)
    expect(signed).toEqual([
      expect.objectContaining({ functionCall: expect.objectContaining({ name: "Write" }) }),
      { text: "", thoughtSignature: expect.any(String) as unknown as string },
    ])
  })
})

test("what is missing or wrong is said", async () => {
  const missing = await runCodewright({ argv: ["-p", "x", "--model", "gemini/gemini-4-argon"], env: noAnthropic })
  expect(missing.stderr).toMatch(
    /^error: The model gemini\/gemini-4-argon needs a key for Google\. Set GEMINI_API_KEY or GOOGLE_API_KEY, or run \S+ login gemini\.\n$/,
  )
  const wrong = { GOOGLE_GEMINI_BASE_URL: "127.0.0.1:8080" }
  const lost = await runCodewright({
    argv: ["-p", "x", "--model", "gemini/gemini-4-argon"],
    env: { ...noAnthropic, ...wrong, GEMINI_API_KEY: key },
  })
  expect(lost.stderr).toStartWith("error: GOOGLE_GEMINI_BASE_URL is not an address: 127.0.0.1:8080")
  // Who has no key for it does not use it.
  const other = await runCodewright({ argv: ["-p", "x"], scenario: ["Hello."], env: wrong })
  expect(other).toMatchObject({ code: 0, stdout: "Hello.\n" })
  await behind(["x"], async ({ url, setFaults }) => {
    setFaults(["unauthorized"])
    const run = await runCodewright({
      argv: ["-p", "x", "--model", "gemini/gemini-4-argon"],
      env: { ...noAnthropic, GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url },
    })
    expect(run.code).not.toBe(0)
    expect(run.stderr + run.stdout).toContain(
      "The key in GEMINI_API_KEY (…rstu) was rejected (400). Change the variable.",
    )
  })
})

test("a conversation goes from Anthropic to Gemini and back, with calls of each", async () => {
  using place = openPlace({ "a.txt": "one\n" })
  const reading = { content: [{ thinking: "Look." }, use("Read", { file_path: "a.txt" })] }
  await behind([reading, "One.", reading, "Two.", reading, "Three."], async ({ url, requests }) => {
    const env = { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "a" }
    for (const [turn, model] of ["claude-sonnet-5", "gemini/gemini-4-argon", "claude-sonnet-5"].entries()) {
      const again = turn === 0 ? [] : ["--continue"]
      const run = await runCodewright({ place, argv: ["-p", `turn ${turn}`, "--model", model, ...again, ...json], env })
      expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: turn === 1 ? assumed : "" })
      expect(linesOf(run.stdout)).toMatchObject([{ result: ["One.", "Two.", "Three."][turn] }])
    }
    expect(requests.map(({ path }) => path.includes("gemini"))).toEqual([false, false, true, true, false, false])
    expect(JSON.stringify(requests[3]?.body)).toContain("skip_thought_signature_validator")
    expect(JSON.stringify(requests[5]?.body)).not.toContain("thoughtSignature")
  })
})
