/** A server that was added in /login could only be used after a restart. */

import { expect, test } from "bun:test"
import type { Request } from "#agent/words/model.ts"
import { parseArguments } from "#faces/cli/flags/argv.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { connect } from "#faces/cli/models/connect.ts"
import { modelsPort } from "#faces/cli/models/model-rows.ts"
import { providerPanelAdapter } from "#faces/cli/models/provider-panel-adapter.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { openSimulator } from "#sim/server.ts"
import { temporaryFolder } from "../kit/tmp.ts"

const signal = new AbortController().signal

test("its models answer at once, also behind a gateway to which any name could belong", async () => {
  using folder = temporaryFolder()
  const opened = await openSimulator({ scenario: () => ({ content: "Hello." }) })
  if (!opened.ok) throw new Error(opened.failure.message)
  const args = parseArguments([], flags)
  if (!args.ok) throw new Error(args.failure.message)
  const raw = {
    HOME: folder.path,
    CODEWRIGHT_HOME: folder.join("state"),
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
  }
  const setting = await readSetting(args.value, folder.path, "as kept", raw)
  if (!setting.ok) throw new Error("no setting")
  const model = await connect(args.value, setting.value, "terminal")
  if (!model.ok) throw new Error(model.failure.message)
  const { models } = model.value

  const added = await providerPanelAdapter(setting.value, "servers").add(`${opened.value.url}/v1`, signal)
  if (!added.ok) throw new Error(added.failure)
  const id = `${added.value.name}/chat-1`
  expect(models.refusal(id)).toBeUndefined()
  expect(models.factsOf(id).provider).toBe(added.value.name)
  const request: Request = {
    model: id,
    system: [],
    tools: [],
    messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    maxTokens: 100,
    thinking: { type: "off" },
    delivery: "stream",
    repeat: 0,
  }
  const events = await Array.fromAsync(models.stream(request, signal))
  expect(events.flatMap((event) => (event.type === "text_delta" ? [event.text] : [])).join("")).toBe("Hello.")
  // The list of /model asks it, too.
  const rows = await new Promise<readonly string[]>((found) => {
    modelsPort(setting.value, models, "servers").more?.((list) => {
      const own = list.map((row) => row.id).filter((row) => row.startsWith(`${added.value.name}/`))
      if (own.length > 0) found(own)
    }, signal)
  })
  expect(rows.length).toBeGreaterThan(0)
  await model.value.close()
  await opened.value.close()
}, 60_000)
