/** Pictures for a prompt: from a file or from the clipboard, made small enough for a model as the Read tool does it. */

import { stat } from "node:fs/promises"
import { join } from "node:path"
import type { ImageBlock } from "#agent/words/message.ts"
import type { PictureFailure, PicturesPort } from "#faces/tui/external-effects.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type ClipboardPlace, readClipboard } from "./clipboard.ts"

const mostBytes = 50_000_000

export function openPictures({
  home,
  clipboard,
}: {
  readonly home: string
  readonly clipboard: () => ClipboardPlace
}): PicturesPort {
  return {
    async fromFile(typedPath) {
      const path = typedPath.startsWith("~/") ? join(home, typedPath.slice(2)) : typedPath
      const found = await stat(path).catch(() => undefined)
      if (!found) return failed({ kind: "absent", message: `The file ${path} does not exist.` })
      if (!found.isFile()) return unusable(`${path} is not a file.`)
      if (found.size > mostBytes) return unusable(`${path} is larger than 50 MB. Use a smaller picture.`)
      const bytes = await Bun.file(path)
        .bytes()
        .catch(() => undefined)
      return bytes ? blockOf(path, Buffer.from(bytes)) : unusable(`${path} cannot be read. Check its permissions.`)
    },
    async fromClipboard(signal) {
      const clipping = await readClipboard(clipboard(), signal)
      if (!clipping.ok) return unusable(clipping.failure)
      if (clipping.value.kind === "text") return ok(clipping.value.text)
      return blockOf("The picture in the clipboard", clipping.value.bytes)
    },
  }
}

async function blockOf(name: string, bytes: Buffer): Promise<Result<ImageBlock, PictureFailure>> {
  const { readImage } = await import("#kits/tools/read-image.ts")
  const outcome = await readImage(name, bytes)
  if (!outcome) return unusable(`${name} is not a PNG, JPEG, GIF or WebP image.`)
  const { content } = outcome
  const [block] = typeof content === "string" ? [] : content
  if (block?.type === "image") return ok(block)
  return unusable(`${name} cannot be used: the image is damaged or too large to scale down.`)
}

const unusable = (message: string): Result<never, PictureFailure> => failed({ kind: "unusable", message })
