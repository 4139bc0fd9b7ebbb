/** Archives whose bytes depend on nothing but what is in them: entries in order, one time, no owner. */

export interface Entry {
  readonly path: string
  readonly contents?: Uint8Array | string
  /** A symbolic link to this path. */
  readonly link?: string
  readonly mode?: number
}

const block = 512

/** In the ustar format. Folders are entries that end with a slash. */
export function tar(entries: readonly Entry[], seconds: number): Uint8Array {
  const parts = entries.flatMap((entry): readonly Uint8Array[] => {
    const bytes = bytesOf(entry.contents)
    return [header(entry, bytes.length, seconds), bytes, new Uint8Array((block - (bytes.length % block)) % block)]
  })
  return Buffer.concat([...parts, new Uint8Array(2 * block)])
}

/** As Debian packages are made. */
export function ar(entries: readonly Entry[], seconds: number): Uint8Array {
  const parts = entries.flatMap(({ path, contents }): readonly Uint8Array[] => {
    const bytes = bytesOf(contents)
    const head = `${path.padEnd(16)}${String(seconds).padEnd(12)}${"0".padEnd(6)}${"0".padEnd(6)}${"100644".padEnd(8)}${String(bytes.length).padEnd(10)}\`\n`
    return [Buffer.from(head), bytes, Buffer.from(bytes.length % 2 === 1 ? "\n" : "")]
  })
  return Buffer.concat([Buffer.from("!<arch>\n"), ...parts])
}

export const bytesOf = (contents: Uint8Array | string = ""): Uint8Array =>
  typeof contents === "string" ? Buffer.from(contents) : contents

function header({ path, link, mode }: Entry, size: number, seconds: number): Buffer {
  const bytes = Buffer.alloc(block)
  const kind = link !== undefined ? "2" : path.endsWith("/") ? "5" : "0"
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`
  if (path.length > 100 || (link ?? "").length > 100) throw new Error(`${path} is too long for an archive`)
  bytes.write(path, 0)
  bytes.write(octal(mode ?? (kind === "5" ? 0o755 : kind === "2" ? 0o777 : 0o644), 8), 100)
  bytes.write(octal(0, 8), 108)
  bytes.write(octal(0, 8), 116)
  bytes.write(octal(size, 12), 124)
  bytes.write(octal(seconds, 12), 136)
  bytes.write("        ", 148)
  bytes.write(kind, 156)
  bytes.write(link ?? "", 157)
  bytes.write("ustar\x0000", 257)
  bytes.write("root", 265)
  bytes.write("root", 297)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return bytes
}
