/** A binary change as the part of a patch that `git apply` accepts: both contents in full. */

import { deflateSync } from "node:zlib"

/** The lines after names and permissions. `mode` is given if it stays the same. */
export function binaryPatch(before: Uint8Array | undefined, after: Uint8Array | undefined, mode?: string): string {
  const names = `${blobName(before)}..${blobName(after)}${mode === undefined ? "" : ` ${mode}`}`
  return `index ${names}\nGIT binary patch\n${literal(after)}\n${literal(before)}\n`
}

const nobody = "0".repeat(40)

function blobName(bytes: Uint8Array | undefined): string {
  if (bytes === undefined) return nobody
  return new Bun.CryptoHasher("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex")
}

const lineBytes = 52

function literal(bytes: Uint8Array = new Uint8Array()): string {
  const packed = deflateSync(bytes)
  const lines: string[] = []
  for (let at = 0; at < packed.length; at += lineBytes) lines.push(line(packed.subarray(at, at + lineBytes)))
  return `literal ${bytes.length}\n${lines.join("\n")}\n`
}

/** The number of bytes as a letter, then the bytes in groups of five base-85 characters for four bytes each. */
function line(bytes: Uint8Array): string {
  const count = String.fromCodePoint(bytes.length <= 26 ? 64 + bytes.length : 70 + bytes.length)
  let text = ""
  for (let at = 0; at < bytes.length; at += 4) {
    let word = 0
    for (let i = 0; i < 4; i++) word = word * 256 + (bytes[at + i] ?? 0)
    let five = ""
    for (let i = 0; i < 5; i++) {
      five = (alphabet[word % 85] ?? "") + five
      word = Math.floor(word / 85)
    }
    text += five
  }
  return count + text
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
