/** Nothing of a provider that is not used is loaded: the files of the program that a whole run loads, by provider. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { openPlace } from "../../kit/run-codewright.ts"
import { openSimulator } from "#sim/server.ts"

const root = resolve(import.meta.dir, "../../..")
/** Folders of wire formats. */
const rooms = ["anthropic", "openai-chat", "openai-responses", "gemini"]

async function loaded(model: string, env: (url: string) => { readonly [name: string]: string }) {
  using place = openPlace()
  const opened = await openSimulator({ scenario: () => ({ content: "Hello." }) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const { url, close } = opened.value
  const list = `${place.path}/modules`
  const run = Bun.spawn(
    [
      process.execPath,
      "--no-env-file",
      "--config=/dev/null",
      `--preload=${root}/test/kit/list-modules.ts`,
      `${root}/src/main.ts`,
      "--",
      "-p",
      "hi",
      "--model",
      model,
    ],
    {
      cwd: place.work,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: place.home,
        CODEWRIGHT_HOME: place.state,
        LIST_MODULES: list,
        ...env(url),
      },
      stderr: "pipe",
    },
  )
  const [out, err] = await Promise.all([run.stdout.text(), run.stderr.text()])
  await close()
  expect({ out, err: out === "Hello.\n" ? "" : err }).toEqual({ out: "Hello.\n", err: "" })
  const files = readFileSync(list, "utf8").trim().split("\n")
  expect(files.filter((file) => /^(?:ground\/editors|faces\/cli\/editor)\//.test(file))).toEqual([])
  return {
    formats: rooms.filter((room) => files.some((file) => file.startsWith(`ground/models/${room}/decode`))),
    clouds: files.filter((file) => /(?:^|\/)clouds(?:\.ts|\/)/.test(file)),
    simulator: files.filter((file) => file.startsWith("sim/")),
  }
}

test("with a model of Anthropic", async () => {
  const env = (url: string) => ({ ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: url })
  expect(await loaded("sonnet", env)).toEqual({ formats: ["anthropic"], clouds: [], simulator: [] })
}, 60_000)

test("with one of a local server", async () => {
  const files = await loaded("ollama/some", (url) => ({ OLLAMA_HOST: url }))
  // Anthropic's is the one that is always there: most sessions need it at once.
  expect(files).toEqual({ formats: ["anthropic", "openai-chat"], clouds: [], simulator: [] })
}, 60_000)
