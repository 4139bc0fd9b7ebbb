/** `codewright sim record`: writes what a real provider says as a scenario. */

import { renameSync, writeFileSync } from "node:fs"
import { systemClock } from "#lib/clock.ts"
import { parseArguments } from "./flags/argv.ts"
import { commandHelp } from "./help/command-help.ts"
import type { Flag } from "./flags/flag.ts"
import type { Io } from "./io.ts"
import { networkOfEnvironment } from "./models/configured-network.ts"
import { readNumber } from "./flags/numbers.ts"

type Name = "port" | "upstream" | "output" | "help"

export const recordFlags: readonly Flag<Name>[] = [
  { name: "output", kind: "value", takes: "file", about: "The file to write the scenario to (scenario.yaml)." },
  { name: "upstream", kind: "value", takes: "url", about: "The provider (https://api.anthropic.com)." },
  { name: "port", kind: "value", takes: "n", about: "The port to listen on; 0 (the default) picks a free one." },
  { name: "help", also: ["-h"], kind: "switch", about: "Show this help." },
]

export async function simRecordCommand(argv: readonly string[], io: Io): Promise<number> {
  const parsed = parseArguments(argv, recordFlags)
  if (!parsed.ok) return io.fail(`sim record: ${parsed.failure.message}`)
  const args = parsed.value
  if (args.has("help")) {
    io.write(commandHelp({ usage: ["codewright sim record [options]"], table: recordFlags }))
    return 0
  }
  if (args.rest.length > 0) return io.fail(`sim record takes no argument '${args.rest[0]}'; use --output <file>.`)
  const port = readNumber("--port", args.value("port") ?? "0", { least: 0, most: 65_535, whole: true })
  if (!port.ok) return io.fail(port.failure)
  const upstream = URL.parse(args.value("upstream") ?? "https://api.anthropic.com")
  if (!upstream || !/^https?:$/.test(upstream.protocol))
    return io.fail(`--upstream takes a URL such as https://api.anthropic.com, not '${args.value("upstream")}'.`)
  const file = args.value("output") ?? "scenario.yaml"

  const { openRecording } = await import("#sim/record.ts")
  const network = networkOfEnvironment()
  const recording = await openRecording({
    upstream,
    port: port.value,
    clock: systemClock,
    send: (url, init) => network.fetch({ why: "model", chosenBy: "user" }, url, init),
    keep(scenario) {
      // Whole or not at all: the recording may be stopped at any moment.
      writeFileSync(`${file}.new`, scenario, { mode: 0o600 })
      renameSync(`${file}.new`, file)
    },
  })
  if (!recording.ok) return io.fail(recording.failure.message)
  const { url, replies, close } = recording.value
  io.write(`Recording answers from ${upstream.host} to ${file}. API keys are not recorded.\n`)
  io.write(`Use it with: ${variablesFor(upstream.hostname, url)} codewright -p "..."; stop recording with Ctrl+C.\n`)
  const code = await io.untilStopped()
  await close()
  io.write(
    `${replies()} ${replies() === 1 ? "answer" : "answers"} saved in ${file}. Play with: codewright sim --scenario ${file}\n`,
  )
  return code
}

/** What sends requests through the recording. A signature of AWS is for its own host, so Bedrock takes a token here. */
function variablesFor(host: string, url: string): string {
  if (/^bedrock-runtime\..*\.amazonaws\.com/.test(host))
    return `ANTHROPIC_BEDROCK_BASE_URL=${url} AWS_BEARER_TOKEN_BEDROCK=<token>`
  if (/(?:^|-)aiplatform\./.test(host)) return `ANTHROPIC_VERTEX_BASE_URL=${url}/v1`
  return `${/(?:^|\.)googleapis\.com$/.test(host) ? "GOOGLE_GEMINI_BASE_URL" : "ANTHROPIC_BASE_URL"}=${url}`
}
