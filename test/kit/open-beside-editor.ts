/** A session in the terminal beside an editor that it can be connected to. */

import { type EditorSide, openEditorSide, type SideParts } from "#faces/cli/editor/editor-side.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "./open-test-session.ts"
import { temporaryFolder } from "./tmp.ts"

export interface BesideEditor extends AsyncDisposable {
  readonly t: TestSession
  readonly side: EditorSide
  /** Where lock files are. */
  readonly locks: string
  /** A folder that does not belong to the project. */
  readonly outside: (name: string) => string
  /** What the user was told, and mentions from the editor. */
  readonly heard: string[]
  /** Everything that the editor has sent so far was read: messages arrive in order. */
  readonly heardAll: () => Promise<void>
}

export async function openBesideEditor(
  options: TestSessionOptions,
  parts: Partial<SideParts> = {},
): Promise<BesideEditor> {
  const folder = temporaryFolder()
  const opened: { side?: EditorSide } = {}
  const t = await openTestSession({ editor: (signal) => opened.side?.read(signal), ...options })
  const heard: string[] = []
  const locks = folder.join("ide")
  const side = openEditorSide({
    folder: locks,
    cwd: t.root,
    home: folder.path,
    wish: "flag",
    showsDiffs: true,
    ...parts,
  })
  side.listen({ said: (text) => heard.push(text), mentioned: (text) => heard.push(text) })
  opened.side = side
  return {
    t,
    side,
    locks,
    outside: (name) => folder.join(name),
    heard,
    heardAll: async () => void (await (await side.link()).ask("getOpenEditors", {})),
    async [Symbol.asyncDispose]() {
      side.close()
      await t[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
