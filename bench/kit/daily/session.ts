/** Commands through the program itself: one session, a step for each, and nobody to ask. */

import { calls, runs, says } from "../answers.ts"
import { openModelServer } from "../model-server.ts"

export interface Result {
  readonly content: string
  readonly isAsked: boolean
  readonly isRun: boolean
}

interface Given {
  /** The program that is measured. */
  readonly program: string
  readonly folder: string
  readonly state: string
  readonly env: Readonly<Record<string, string>>
}

/** Each command in a step of one session, in which nobody can be asked. */
export async function runInSession(commands: readonly string[], given: Given): Promise<readonly Result[]> {
  if (commands.length === 0) return []
  const { program, folder, state, env } = given
  const answers = [...commands.map((command, i) => [calls(i, runs(command))]), [says("Done.")]]
  const model = openModelServer({ bodies: "kept", answer: (index) => answers[index] ?? [says("Done.")] })
  const child = Bun.spawn([program, "-p", "go on", "--output-format", "stream-json", "--verbose"], {
    cwd: folder,
    env: {
      ...env,
      CODEWRIGHT_HOME: state,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "x",
      DISABLE_NON_ESSENTIAL_MODEL_CALLS: "1",
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const [said, complained] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  model.close()
  const events = said
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as StreamEvent)
  const end = events.findLast(({ type }) => type === "result")
  if (!end) throw new Error(`${program} gave no result: ${complained}${said.slice(-500)}`)
  const denied = new Set((end.permission_denials ?? []).map(({ tool_use_id }) => tool_use_id))
  const contents = new Map(
    events.flatMap(({ message }) =>
      (Array.isArray(message?.content) ? message.content : []).flatMap((block) =>
        block.type === "tool_result" ? [[block.tool_use_id ?? "", textOf(block.content)] as const] : [],
      ),
    ),
  )
  return commands.map((_, i) => {
    const id = `toolu_${i}_0`
    const content = contents.get(id) ?? ""
    // What ran and was then asked about, because the sandbox refused something, has a result of its own.
    const isRun = /\[The command ran /.test(content)
    return { content, isAsked: denied.has(id) && !isRun, isRun: isRun || !denied.has(id) }
  })
}

interface StreamEvent {
  readonly type: string
  readonly permission_denials?: readonly { readonly tool_use_id: string }[]
  readonly message?: {
    readonly content?: readonly { readonly type: string; readonly tool_use_id?: string; readonly content?: unknown }[]
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content
  return Array.isArray(content) ? content.map((part: { readonly text?: string }) => part.text ?? "").join("") : ""
}
