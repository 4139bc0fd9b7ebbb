/**
 * What an image must be to be accepted: a supported type, valid base64, bytes that match the type, within the limits.
 */

import { isObject, type JsonValue } from "#lib/json.ts"
import { refuse, type Refusal } from "./refusal.ts"

const mostBytes = 5 * 1024 * 1024
const mostPixelsASide = 8_000

/** The first bytes of each type. */
const beginnings: { readonly [mediaType: string]: (head: Uint8Array) => boolean } = {
  "image/png": (head) => startsWith(head, [0x89, 0x50, 0x4e, 0x47]),
  "image/jpeg": (head) => startsWith(head, [0xff, 0xd8, 0xff]),
  "image/gif": (head) => startsWith(head, [0x47, 0x49, 0x46, 0x38]),
  "image/webp": (head) =>
    startsWith(head, [0x52, 0x49, 0x46, 0x46]) && startsWith(head.subarray(8), [0x57, 0x45, 0x42, 0x50]),
}

export function checkImage(source: JsonValue | undefined, place: string): Refusal {
  if (!isObject(source)) return refuse(place, "field required")
  if (source.type === "url" || source.type === "file") return undefined
  if (source.type !== "base64") return refuse(`${place}.type`, "must be base64, url or file")
  const { media_type, data } = source
  const begins = typeof media_type === "string" ? beginnings[media_type] : undefined
  if (begins === undefined)
    return refuse(`${place}.base64.media_type`, `must be one of ${Object.keys(beginnings).join(", ")}`)
  if (typeof data !== "string" || data === "" || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return refuse(`${place}.base64.data`, "is not valid base64")
  const bytes = (data.length / 4) * 3
  if (bytes > mostBytes) return refuse(`${place}.base64`, `image of ${bytes} bytes > ${mostBytes} bytes maximum`)
  // The first bytes tell the kind and, for PNG, the size.
  const head = Buffer.from(data.slice(0, 64), "base64")
  if (!begins(head)) return refuse(`${place}.base64.data`, `the bytes are not ${String(media_type)}`)
  return media_type === "image/png" ? checkPngSize(head, place) : undefined
}

function checkPngSize(head: Buffer, place: string): Refusal {
  if (head.length < 24) return refuse(`${place}.base64.data`, "the image is cut off")
  const side = Math.max(head.readUInt32BE(16), head.readUInt32BE(20))
  return side > mostPixelsASide
    ? refuse(`${place}.base64.data`, `a side of ${side} pixels > ${mostPixelsASide} maximum`)
    : undefined
}

const startsWith = (bytes: Uint8Array, beginning: readonly number[]): boolean =>
  beginning.every((byte, at) => bytes[at] === byte)
