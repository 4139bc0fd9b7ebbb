/** The clipboard, through programs that stand in for those of a desktop. */

import { expect, test } from "bun:test"
import { chmodSync, writeFileSync } from "node:fs"
import { readClipboard } from "#faces/cli/terminal/clipboard.ts"
import { openPictures } from "#faces/cli/terminal/pictures.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const never = new AbortController().signal
/** The smallest PNG there is: one pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

function program(tmp: TemporaryFolder, name: string, script: string): void {
  writeFileSync(tmp.join(name), `#!/bin/sh\n${script}\n`)
  chmodSync(tmp.join(name), 0o755)
}

const read = (
  tmp: TemporaryFolder,
  env: { readonly [name: string]: string } = {},
  platform: NodeJS.Platform = "linux",
) => readClipboard({ platform, env: { PATH: `${tmp.path}:/usr/bin:/bin`, ...env } }, never)

test("a picture is taken before a text, by what the clipboard says it holds", async () => {
  using tmp = temporaryFolder()
  writeFileSync(tmp.join("clip.png"), png)
  program(
    tmp,
    "wl-paste",
    `case "$*" in --list-types) printf 'text/plain\\nimage/png\\n';; "--type image/png") cat "${tmp.join("clip.png")}";; *) exit 3;; esac`,
  )
  const clipping = await read(tmp, { WAYLAND_DISPLAY: "wayland-0" })
  expect(clipping).toEqual({ ok: true, value: { kind: "picture", bytes: png } })
})

test("text where there is no picture, its line ends made plain", async () => {
  using tmp = temporaryFolder()
  program(tmp, "xclip", `case "$*" in *TARGETS*) echo UTF8_STRING;; *) printf 'a\\r\\nb';; esac`)
  expect(await read(tmp)).toEqual({ ok: true, value: { kind: "text", text: "a\nb" } })
})

test("on a Mac the picture comes as digits", async () => {
  using tmp = temporaryFolder()
  program(tmp, "pbpaste", "printf text")
  program(tmp, "osascript", `echo '«data PNGf${png.toString("hex").toUpperCase()}»'`)
  expect(await read(tmp, {}, "darwin")).toEqual({ ok: true, value: { kind: "picture", bytes: png } })
  program(tmp, "osascript", "exit 1")
  expect(await read(tmp, {}, "darwin")).toEqual({ ok: true, value: { kind: "text", text: "text" } })
})

test("without a program, without a content, and with one that fails, it is said what is wrong", async () => {
  using tmp = temporaryFolder()
  const nowhere = await readClipboard({ platform: "linux", env: { PATH: tmp.path } }, never)
  expect(nowhere).toEqual({
    ok: false,
    failure: "The clipboard cannot be read: there is no wl-paste, xclip or xsel here. Install one of them.",
  })
  program(tmp, "xclip", "exit 1")
  expect(await read(tmp)).toEqual({ ok: false, failure: "The clipboard has nothing that can be pasted." })
})

test("nothing of the clipboard or the environment is read by a shell", async () => {
  using tmp = temporaryFolder()
  program(
    tmp,
    "xclip",
    `case "$*" in *TARGETS*) echo 'image/png;touch ${tmp.join("owned")}';; *) printf '$(touch ${tmp.join("owned")})';; esac`,
  )
  expect(await read(tmp)).toEqual({ ok: true, value: { kind: "text", text: `$(touch ${tmp.join("owned")})` } })
  expect(await Bun.file(tmp.join("owned")).exists()).toBe(false)
})

test("pictures of files: good, absent, no picture, damaged, a folder, too large", async () => {
  using tmp = temporaryFolder()
  const port = openPictures({ home: tmp.path, clipboard: () => ({ platform: "linux", env: { PATH: tmp.path } }) })
  writeFileSync(tmp.join("a.png"), png)
  writeFileSync(tmp.join("words.png"), "no picture at all")
  writeFileSync(tmp.join("half.png"), png.subarray(0, 20))
  const big = Buffer.alloc(50_000_001)
  writeFileSync(tmp.join("big.png"), big)
  const failureOf = async (path: string) => {
    const done = await port.fromFile(path, never)
    return done.ok ? undefined : [done.failure.kind, done.failure.message.replaceAll(tmp.path, "~")]
  }
  const good = await port.fromFile("~/a.png", never)
  expect(good).toEqual({
    ok: true,
    value: { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } },
  })
  expect(await failureOf(tmp.join("none.png"))).toEqual(["absent", "The file ~/none.png does not exist."])
  expect(await failureOf(tmp.path)).toEqual(["unusable", "~ is not a file."])
  expect(await failureOf(tmp.join("words.png"))).toEqual([
    "unusable",
    "~/words.png is not a PNG, JPEG, GIF or WebP image.",
  ])
  expect(await failureOf(tmp.join("half.png"))).toEqual([
    "unusable",
    "~/half.png cannot be used: the image is damaged or too large to scale down.",
  ])
  expect(await failureOf(tmp.join("big.png"))).toEqual([
    "unusable",
    "~/big.png is larger than 50 MB. Use a smaller picture.",
  ])
})

test("a program that fails and leaves a child behind is not waited for", async () => {
  using tmp = temporaryFolder()
  program(tmp, "xclip", "sleep 15 &\nexit 1")
  expect(await read(tmp)).toEqual({
    ok: false,
    failure: "The clipboard has nothing that can be pasted.",
  })
})
