/** How many pixels an image has, from its first bytes. */

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** In a JPEG the size may come after a preview image; no need to search further than this. */
const mostBase64 = 120_000

/** For PNG, GIF, JPEG or WebP in base64; undefined for anything else, and for data cut off too early. */
export function imageSize(base64: string): ImageSize | undefined {
  const bytes = Buffer.from(base64.slice(0, mostBase64), "base64")
  const size = read(bytes)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

function read(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10) return undefined
  if (bytes.readUInt32BE(0) === 0x89504e47)
    return bytes.length < 24 ? undefined : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
  if (bytes.toString("latin1", 0, 4) === "GIF8") return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
  if (bytes.readUInt16BE(0) === 0xffd8) return readJpeg(bytes)
  return bytes.toString("latin1", 8, 12) === "WEBP" ? readWebp(bytes) : undefined
}

function readJpeg(bytes: Buffer): ImageSize | undefined {
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const mark = bytes[at + 1] ?? 0
    const isFrame = mark >= 0xc0 && mark <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(mark)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    // Marks may be preceded by any number of fill bytes.
    at += mark === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

function readWebp(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30) return undefined
  const kind = bytes.toString("latin1", 12, 16)
  if (kind === "VP8X") return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) }
  if (kind === "VP8 ") return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  if (kind !== "VP8L") return undefined
  const bits = bytes.readUInt32LE(21)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
}
