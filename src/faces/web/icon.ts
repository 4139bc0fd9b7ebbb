/** The page's icon as PNG, for home screens that take no SVG: drawn here, so that no file of pixels is kept. */

import { deflateSync } from "node:zlib"

export interface IconWish {
  readonly pixels: number
  /** Systems cut their own shape out of it: colored to the edges, and drawn smaller. */
  readonly isMaskable: boolean
}

const side = 32
const [blue, white] = [
  [0x0b, 0x5a, 0x87],
  [0xff, 0xff, 0xff],
] as const
/** The lines of `page/icon.svg`. */
const lines = [
  [13, 10, 7, 16],
  [7, 16, 13, 22],
  [19, 10, 25, 16],
  [25, 16, 19, 22],
] as const
const [stroke, corner] = [1.5, 8]

export function iconPng({ pixels, isMaskable }: IconWish): Uint8Array<ArrayBuffer> {
  const unit = side / pixels
  const zoom = isMaskable ? 1.35 : 1
  const rows = new Uint8Array(pixels * (pixels * 4 + 1))
  for (let y = 0, at = 0; y < pixels; y++) {
    rows[at++] = 0
    for (let x = 0; x < pixels; x++) {
      const [px, py] = [(x + 0.5) * unit, (y + 0.5) * unit]
      const [cx, cy] = [(px - side / 2) * zoom + side / 2, (py - side / 2) * zoom + side / 2]
      const inLine = covered((Math.min(...lines.map((line) => distance(cx, cy, line))) - stroke) / (unit * zoom))
      for (const [nth, color] of blue.entries()) rows[at++] = Math.round(color + ((white[nth] ?? 0) - color) * inLine)
      rows[at++] = isMaskable ? 255 : Math.round(255 * covered(outside(px, py) / unit))
    }
  }
  const head = new Uint8Array(13)
  const view = new DataView(head.buffer)
  view.setUint32(0, pixels)
  view.setUint32(4, pixels)
  // Eight bits for each of four colors.
  head.set([8, 6], 8)
  const start = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  return new Uint8Array(
    Buffer.concat([start, chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND", new Uint8Array())]),
  )
}

/** How much of a pixel lies inside, from how many pixels its middle is away from the edge. */
const covered = (away: number): number => Math.min(1, Math.max(0, 0.5 - away))

function distance(x: number, y: number, [x1, y1, x2, y2]: (typeof lines)[number]): number {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
  return Math.hypot(x - x1 - along * dx, y - y1 - along * dy)
}

/** From the square with round corners; negative inside. */
function outside(x: number, y: number): number {
  const [dx, dy] = [x, y].map((each) => Math.abs(each - side / 2) - side / 2 + corner) as [number, number]
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - corner
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(name), content])
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(content.length)
  check.writeUInt32BE(Bun.hash.crc32(named))
  return Buffer.concat([size, named, check])
}
