/** The person's own editor: what it gets, what it gives, and what goes wrong with it. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { type EditorPlace, openOwnEditor } from "#faces/cli/terminal/own-editor.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const never = new AbortController().signal

function editorOf(tmp: TemporaryFolder, script: string, command = "my-editor --wait 'two words'", path?: string) {
  writeFileSync(
    tmp.join("my-editor"),
    `#!/bin/sh\nprintf '%s|' "$@" > "${tmp.join("arguments")}"\nfor file; do :; done\n${script}\n`,
  )
  chmodSync(tmp.join("my-editor"), 0o755)
  const place: EditorPlace = { command, env: { PATH: path ?? `${tmp.path}:/usr/bin:/bin` }, cwd: tmp.path }
  return openOwnEditor(() => place)
}

test("it gets the text in a private file, and gives another; nothing is left behind", async () => {
  using tmp = temporaryFolder()
  const editor = editorOf(
    tmp,
    `cat "$file" > "${tmp.join("got")}"; stat -c %a "$file" "$(dirname "$file")" > "${tmp.join("modes")}"; printf 'new\\r\\ntext\\n' > "$file"`,
  )
  expect(await editor.editText("the old\ntext", never)).toEqual({ ok: true, value: "new\ntext" })
  expect(readFileSync(tmp.join("got"), "utf8")).toBe("the old\ntext\n")
  expect(readFileSync(tmp.join("modes"), "utf8")).toBe("600\n700\n")
  const [wait, words, path = ""] = readFileSync(tmp.join("arguments"), "utf8").split("|")
  expect([wait, words]).toEqual(["--wait", "two words"])
  expect(existsSync(path)).toBe(false)
})

test("what it did not change stays", async () => {
  using tmp = temporaryFolder()
  expect(await editorOf(tmp, "exit 0").editText("same\n\n", never)).toEqual({ ok: true, value: "same\n\n" })
  expect(await editorOf(tmp, "exit 0").editText("", never)).toEqual({ ok: true, value: "" })
})

test("a file is edited where it is", async () => {
  using tmp = temporaryFolder()
  writeFileSync(tmp.join("notes.md"), "one\n")
  expect(await editorOf(tmp, 'echo two >> "$file"').editFile(tmp.join("notes.md"), never)).toEqual({
    ok: true,
    value: undefined,
  })
  expect(readFileSync(tmp.join("notes.md"), "utf8")).toBe("one\ntwo\n")
})

test.each([
  ["exit 1", undefined, "The editor ended with code 1, so your text is unchanged."],
  ['rm "$file"', undefined, "The edited text could not be read"],
  ["exit 0", "nope --wait", "The editor nope was not found. Set VISUAL or EDITOR to another."],
  ["exit 0", "my-editor 'never closed", "No editor found. Set VISUAL or EDITOR."],
  ["exit 0", "  ", "No editor found. Set VISUAL or EDITOR."],
])("%s, %s", async (script, command, words) => {
  using tmp = temporaryFolder()
  const done = await editorOf(tmp, script, command).editText("text", never)
  expect(done.ok ? "" : done.failure).toContain(words)
})

test("a command line is no shell script", async () => {
  using tmp = temporaryFolder()
  await editorOf(tmp, "exit 0", `my-editor $(touch ${tmp.join("owned")}); touch ${tmp.join("owned")}`).editText(
    "text",
    never,
  )
  expect(existsSync(tmp.join("owned"))).toBe(false)
})

test("it ends when nobody waits for it any more", async () => {
  using tmp = temporaryFolder()
  const gone = new AbortController()
  const editing = editorOf(tmp, "exec sleep 600").editText("text", gone.signal)
  await Bun.sleep(50)
  gone.abort()
  expect((await editing).ok).toBe(false)
})
