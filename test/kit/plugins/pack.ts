/** Archives with whatever somebody wants in them, also what no program would pack. */

import { deflateRawSync, gzipSync } from "node:zlib"

export interface TarEntry {
  readonly path: string
  /** As in the header: 0 file, 1 hard link, 2 link, 3 character device, 6 pipe. */
  readonly type?: string
  readonly link?: string
  readonly content?: string | Uint8Array
  readonly mode?: number
}

export function tar(entries: readonly TarEntry[]): Uint8Array {
  const blocks = entries.flatMap(({ path, type = "0", link = "", content = "", mode = 0o644 }) => {
    const bytes = Buffer.from(content)
    const header = Buffer.alloc(512)
    header.write(path, 0, 100)
    header.write(mode.toString(8).padStart(7, "0"), 100)
    header.write(bytes.length.toString(8).padStart(11, "0"), 124)
    header.write(type, 156)
    header.write(link, 157, 100)
    header.write("ustar\u000000", 257)
    return [header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

export const tgz = (entries: readonly TarEntry[]): Uint8Array => gzipSync(tar(entries))

export interface ZipEntry {
  readonly path: string
  readonly content?: string | Uint8Array
  /** With the kind of file, as on disk. */
  readonly mode?: number
}

export function zip(entries: readonly ZipEntry[]): Uint8Array {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let at = 0
  for (const { path, content = "", mode = 0o100644 } of entries) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(Buffer.from(content))
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(8, 8)
    local.writeUInt32LE(packed.length, 18)
    local.writeUInt16LE(name.length, 26)
    const head = Buffer.alloc(46)
    head.writeUInt32LE(0x02014b50, 0)
    head.writeUInt16LE(8, 10)
    head.writeUInt32LE(packed.length, 20)
    head.writeUInt16LE(name.length, 28)
    head.writeUInt32LE(mode * 0x10000, 38)
    head.writeUInt32LE(at, 42)
    locals.push(local, name, packed)
    central.push(head, name)
    at += 30 + name.length + packed.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, directory, end])
}
