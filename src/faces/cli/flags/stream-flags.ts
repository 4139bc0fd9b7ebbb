/** Flags of streams that mean something only together: what is said when one stands alone. */

import type { MessageOptions } from "#faces/headless/sdk/messages.ts"
import type { Arguments } from "./argv.ts"
import type { FlagName } from "./flags.ts"

type Asked = Pick<Arguments<FlagName>, "has" | "value">

const streams = (args: Asked, flag: "input-format" | "output-format"): boolean => args.value(flag) === "stream-json"

/** Undefined where nothing is wrong. */
export function streamMisuse(args: Asked): string | undefined {
  const isDriven = streams(args, "input-format")
  const isHeadless = args.has("print") || isDriven
  if (isDriven && !streams(args, "output-format"))
    return "--input-format stream-json needs --output-format stream-json: answers to messages are messages."
  if (args.has("print") && streams(args, "output-format") && !args.has("verbose"))
    return "When using --print, --output-format=stream-json requires --verbose"
  if (args.has("replay-user-messages") && !isDriven)
    return "--replay-user-messages needs --input-format stream-json: otherwise there are no messages to write back."
  if (args.has("session-mirror") && !isDriven)
    return "--session-mirror needs --input-format stream-json: otherwise the messages are lost."
  if (args.has("session-mirror") && args.has("no-session-persistence"))
    return "--session-mirror needs a session that is kept: leave out --no-session-persistence."
  const messageFlag = (["include-partial-messages", "include-hook-events", "forward-subagent-text"] as const).find(
    args.has,
  )
  if (messageFlag !== undefined && !(isHeadless && streams(args, "output-format")))
    return `--${messageFlag} needs -p and --output-format stream-json.`
  const host = args.value("permission-prompts") === "host" || args.value("permission-prompt-tool") === "stdio"
  return host && !isDriven
    ? "Permission questions can be sent to the program that runs Codewright only with --input-format stream-json."
    : undefined
}

/** What a stream tells besides the usual. */
export const messageOptions = (args: Asked): MessageOptions => ({
  partial: args.has("include-partial-messages"),
  agentText: args.has("forward-subagent-text"),
  hooks: args.has("include-hook-events"),
})

/** Whether the program at the other end answers permission questions. */
export function hostAnswers(args: Asked): boolean {
  const prompts = args.value("permission-prompts")
  return prompts === "host" || (prompts !== "none" && args.value("permission-prompt-tool") === "stdio")
}
