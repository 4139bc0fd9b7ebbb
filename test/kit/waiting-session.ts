/** A program that opens a session as the terminal would, says one thing to it, and answers nothing. Started by tests that kill it. */

import { parseArguments } from "#faces/cli/flags/argv.ts"
import { flags } from "#faces/cli/flags/flags.ts"
import { readSetting } from "#faces/cli/startup-context.ts"
import { startSession } from "#faces/cli/start.ts"

const { argv, prompt } = JSON.parse(process.argv[2] ?? "{}") as { argv: readonly string[]; prompt?: string }
const args = parseArguments(argv, flags)
if (!args.ok) throw new Error(args.failure.message)
const setting = await readSetting(args.value)
if (!setting.ok) throw new Error(setting.failure.message)
const started = await startSession(args.value, setting.value, "terminal")
if (!started.ok) throw new Error(started.failure.message)
const { session, close } = started.value
const say = (line: string): void => void process.stdout.write(`${line}\n`)

say(`session ${session.id}`)
void (async () => {
  for await (const event of session.events("beginning")) {
    if (event.type === "question_open") say(`asked ${event.question.id}`)
    if (event.type === "entry" && event.entry.kind === "server_call") say(`call ${event.entry.state.type}`)
  }
})()
if (prompt !== undefined)
  await session.submit({ type: "prompt", content: [{ type: "text", text: prompt }], when: "queue" })
await session.ask({ type: "settled" })
say("settled")
await close()
