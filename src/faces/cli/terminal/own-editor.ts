/** The user's own editor, in the terminal we were started in: for a prompt, a plan, or a file. */

import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { EditorPort } from "#faces/tui/external-effects.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { makeTemporaryFolder } from "#lib/temporary-folder.ts"
import { wordsOf } from "#lib/words.ts"

export interface EditorPlace {
  /** Such as `code --wait`; not read by a shell. */
  readonly command: string | undefined
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
}

/** Tried in order if the user named none. */
const usual: readonly string[] = ["sensible-editor", "nano", "vim", "vi"]

export function openOwnEditor(place: () => EditorPlace): EditorPort {
  return {
    editFile: (path, signal) => edit(path, place(), signal),
    async editText(text, signal) {
      // The folder is open to its owner only, whatever the editor leaves beside the file.
      const made = makeTemporaryFolder("codewright-edit-")
      if (!made.ok) return made
      const folder = made.value
      const path = join(folder, "text.md")
      try {
        // Editors end a file with a line; a prompt has no such end, a plan does.
        const hasEnd = text.endsWith("\n")
        writeFileSync(path, text === "" || hasEnd ? text : `${text}\n`, { mode: 0o600, flag: "wx" })
        const done = await edit(path, place(), signal)
        if (!done.ok) return done
        const edited = readFileSync(path, "utf8").replaceAll(/\r\n?/g, "\n")
        return ok(hasEnd ? edited : edited.replace(/\n$/, ""))
      } catch (error) {
        return failed(`The edited text could not be read (${error instanceof Error ? error.message : String(error)}).`)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}

async function edit(
  path: string,
  { command, env, cwd }: EditorPlace,
  signal: AbortSignal,
): Promise<Result<void, string>> {
  const argv = command === undefined ? usualEditor(env) : wordsOf(command)
  const [name, ...rest] = argv ?? []
  if (name === undefined) return failed("No editor found. Set VISUAL or EDITOR.")
  const program = Bun.which(name, { PATH: env.PATH ?? "", cwd })
  if (program === null) return failed(`The editor ${name} was not found. Set VISUAL or EDITOR to another.`)
  const child = Bun.spawn([program, ...rest, path], {
    cwd,
    env,
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
    signal,
  })
  const code = await child.exited
  return code === 0 ? ok(undefined) : failed(`The editor ended with code ${code}, so your text is unchanged.`)
}

function usualEditor(env: EditorPlace["env"]): readonly string[] | undefined {
  const found = usual.find((name) => Bun.which(name, { PATH: env.PATH ?? "" }) !== null)
  return found === undefined ? undefined : [found]
}
