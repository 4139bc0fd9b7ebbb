/** Shows an image to the model, scaled to fit the API. */

import type { ImageBlock } from "#agent/words/message.ts"
import { answered, type Outcome, refused } from "#agent/words/tool.ts"

/** The longest edge that the API does not scale down itself. */
const longestEdge = 1568
/** Five megabytes of base64, in bytes before encoding. */
const mostBytes = 3_750_000
/** Tried in turn until the image is small enough. */
const qualities = [85, 60, 35] as const

interface Picture {
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** Undefined if the bytes are not an image. */
export async function readImage(path: string, bytes: Buffer): Promise<Outcome | undefined> {
  const mediaType = mediaTypeOf(bytes)
  if (mediaType === undefined) return undefined
  const picture = await fitted({ mediaType, bytes }).catch(() => undefined)
  if (picture === undefined)
    return refused(`${path} cannot be shown: it is damaged, or too large to be scaled down. Inspect it through Bash.`)
  const data = Buffer.from(picture.bytes).toString("base64")
  const block: ImageBlock = { type: "image", source: { type: "base64", media_type: picture.mediaType, data } }
  return answered([block], {
    display: { kind: "image", mediaType: picture.mediaType, bytes: bytes.length, path },
    data: { type: "image", file: { filePath: path, type: picture.mediaType, originalSize: bytes.length } },
  })
}

/** Detected by the first bytes: names are often wrong, and the API refuses an image that is not of its stated type. */
function mediaTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.toString("latin1", 0, 12)
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png"
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg"
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif"
  if (start.startsWith("RIFF") && start.slice(8) === "WEBP") return "image/webp"
  return undefined
}

/** The image itself if it fits, else a smaller one; undefined if even the smallest is too large. */
async function fitted(picture: Picture): Promise<Picture | undefined> {
  const { width, height } = await new Bun.Image(picture.bytes).metadata()
  const isWithin = Math.max(width, height) <= longestEdge
  if (isWithin && picture.bytes.length <= mostBytes) return picture
  // Drawings and screenshots stay sharp as PNG; photographs get too large and become JPEG.
  if (picture.mediaType !== "image/jpeg") {
    const png = await scaled(picture).png().bytes()
    if (png.length <= mostBytes) return { mediaType: "image/png", bytes: png }
  }
  for (const quality of qualities) {
    const jpeg = await scaled(picture).jpeg({ quality }).bytes()
    if (jpeg.length <= mostBytes) return { mediaType: "image/jpeg", bytes: jpeg }
  }
  return undefined
}

function scaled({ bytes }: Picture): Bun.Image {
  return new Bun.Image(bytes).resize(longestEdge, longestEdge, { fit: "inside", withoutEnlargement: true })
}
