/** A workspace in a temporary folder with the tools on it, and ways to call them as the agent does. */

import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { rgPath } from "@vscode/ripgrep"
import { type AnyTool, complained, type Outcome, type Progress } from "#agent/words/tool.ts"
import { openWorkspace, type Workspace, type WorkspaceOptions } from "#ground/workspace/workspace.ts"
import { toolsKit, type ToolsKitOptions } from "#kits/tools/kit.ts"
import { systemClock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { systemIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

export interface TestTools extends AsyncDisposable {
  readonly root: string
  readonly workspace: Workspace
  readonly tools: readonly AnyTool[]
  readonly path: (name: string) => string
  /** Puts a file into the workspace. */
  readonly put: (name: string, content: string | Uint8Array) => string
  /** `judged` happens when the call was judged and does not run yet. */
  readonly call: (
    tool: string,
    input: JsonObject,
    signal?: AbortSignal,
    judged?: () => void,
    recorded?: Promise<Outcome | undefined>,
  ) => Promise<Outcome>
  /** The text of a call's result. */
  readonly say: (tool: string, input: JsonObject) => Promise<string>
  readonly progress: Progress[]
}

export function openTools(
  options: Partial<WorkspaceOptions> & { readonly bash?: NonNullable<ToolsKitOptions["bash"]> } = {},
): TestTools {
  const folder = temporaryFolder()
  const base = folder.path
  const root = join(base, "project")
  mkdirSync(root)
  const workspace = openWorkspace({
    root,
    home: base,
    ripgrep: async () => rgPath,
    sessionFolder: join(base, "session"),
    env: () => ({ PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base, LANG: "C.UTF-8" }),
    clock: systemClock,
    ids: systemIds,
    isAllowedFolder: (path) => path === root || path.startsWith(`${root}/`),
    ...options,
  })
  const kit = toolsKit({ workspace, clock: systemClock, ids: systemIds, ...(options.bash && { bash: options.bash }) })
  const progress: Progress[] = []

  async function call(
    name: string,
    input: JsonObject,
    signal = new AbortController().signal,
    judged?: () => void,
    recorded?: Promise<Outcome | undefined>,
  ): Promise<Outcome> {
    const tool = kit.tools?.find((one) => one.name === name)
    if (!tool) throw new Error(`no tool ${name}`)
    const parsed = tool.parse(input)
    if (!parsed.ok) return { content: parsed.message, isError: true }
    tool.footprint(parsed.value)
    const complaint = await tool.validate?.(parsed.value, signal)
    if (complaint !== undefined) return complained(complaint)
    judged?.()
    const context = { callId: "call", signal, progress: (one: Progress) => progress.push(one) }
    return tool.run(parsed.value, { ...context, ...optional("recorded", recorded) })
  }

  return {
    root,
    workspace,
    tools: kit.tools ?? [],
    progress,
    call,
    path: (name) => join(root, name),
    put(name, content) {
      const path = join(root, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return path
    },
    async say(tool, input) {
      const { content } = await call(tool, input)
      return typeof content === "string" ? content : JSON.stringify(content)
    },
    async [Symbol.asyncDispose]() {
      await workspace.close()
      folder[Symbol.dispose]()
    },
  }
}
