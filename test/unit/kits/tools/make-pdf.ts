/** Small PDF files, written by hand. */

import { createHash } from "node:crypto"

export interface PdfOptions {
  /** The lines of each page; `undefined` for a page without any. */
  readonly pages: readonly (string | undefined)[]
  /** `locked` needs a password; `open` is encrypted but opens without one. */
  readonly encryption?: "locked" | "open"
}

export function makePdf({ pages, encryption }: PdfOptions): Buffer {
  const fileId = Buffer.alloc(16, 7)
  const owner = Buffer.alloc(32, 9)
  const key = fileKey(owner, fileId)
  const kids = pages.map((_, i) => `${4 + i * 2} 0 R`).join(" ")
  const objects: Buffer[] = [
    Buffer.from("<< /Type /Catalog /Pages 2 0 R >>"),
    Buffer.from(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`),
    Buffer.from("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"),
    ...pages.flatMap((text, i) => {
      const number = 5 + i * 2
      const plain = Buffer.from(
        text === undefined ? "" : `BT /F1 1 Tf 1.2 TL 72 780 Td (${text.replaceAll("\n", ") Tj T* (")}) Tj ET`,
      )
      const content = encryption === "open" ? rc4(objectKey(key, number), plain) : plain
      return [
        Buffer.from(
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${number} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        ),
        Buffer.concat([Buffer.from(`<< /Length ${content.length} >>\nstream\n`), content, Buffer.from("\nendstream")]),
      ]
    }),
  ]
  const user = encryption === "locked" ? Buffer.alloc(32, 1) : rc4(key, padding)
  if (encryption !== undefined)
    objects.push(
      Buffer.from(
        `<< /Filter /Standard /V 1 /R 2 /P ${permissions} /O <${owner.toString("hex")}> /U <${user.toString("hex")}> >>`,
      ),
    )
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")]
  const offsets: number[] = []
  for (const [i, object] of objects.entries()) {
    offsets.push(parts.reduce((sum, part) => sum + part.length, 0))
    parts.push(Buffer.from(`${i + 1} 0 obj\n`), object, Buffer.from("\nendobj\n"))
  }
  const start = parts.reduce((sum, part) => sum + part.length, 0)
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")
  const id = fileId.toString("hex")
  const encrypt = encryption === undefined ? "" : ` /Encrypt ${objects.length} 0 R`
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /ID [<${id}> <${id}>]${encrypt} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

const permissions = -4

/** What the format pads passwords with; alone it is the empty password. */
const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex")

const md5 = (...parts: readonly Buffer[]): Buffer => createHash("md5").update(Buffer.concat(parts)).digest()

function fileKey(owner: Buffer, fileId: Buffer): Buffer {
  const bits = Buffer.alloc(4)
  bits.writeInt32LE(permissions)
  return md5(padding, owner, bits, fileId).subarray(0, 5)
}

const objectKey = (key: Buffer, number: number): Buffer =>
  md5(key, Buffer.from([number & 255, (number >> 8) & 255, 0, 0, 0])).subarray(0, 10)

function rc4(key: Buffer, plain: Buffer): Buffer {
  const state = Array.from({ length: 256 }, (_, i) => i)
  const at = (i: number): number => state[i & 255] ?? 0
  const swap = (i: number, j: number): void => {
    const [a, b] = [at(i), at(j)]
    state[i & 255] = b
    state[j & 255] = a
  }
  let j = 0
  for (let i = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255
    swap(i, j)
  }
  let i = 0
  j = 0
  return Buffer.from(
    plain.map((byte) => {
      i = (i + 1) & 255
      j = (j + at(i)) & 255
      swap(i, j)
      return byte ^ at(at(i) + at(j))
    }),
  )
}
