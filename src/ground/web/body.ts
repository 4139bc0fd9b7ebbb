/** Reads and decompresses the body of an answer within a limit, whatever the server sends. */

import { promisify } from "node:util"
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib"
import { failed, ok, type Result } from "#lib/result.ts"
import { connectionWords } from "#lib/connection-words.ts"
import type { HttpAnswer } from "#lib/network.ts"
import { codeOf } from "#lib/error-code.ts"

export type BodyFailure = { readonly kind: "too_large" } | { readonly kind: "broken"; readonly why: string }

/** The supported encodings, as a request header. */
export const acceptedEncodings = "gzip, deflate, br"

/** The limit applies to the bytes on the wire and to the decompressed size. */
export async function readBody(response: HttpAnswer, limit: number): Promise<Result<Buffer, BodyFailure>> {
  if (announcedBytes(response) > limit) {
    response.destroy()
    return failed({ kind: "too_large" })
  }
  const packed = await collect(response, limit)
  return packed.ok ? unpack(packed.value, response.headers["content-encoding"] ?? "", limit) : packed
}

/** From the server; 0 when it does not say. */
export function announcedBytes(response: HttpAnswer): number {
  const announced = Number(response.headers["content-length"] ?? 0)
  return Number.isSafeInteger(announced) ? announced : 0
}

function collect(response: HttpAnswer, limit: number): Promise<Result<Buffer, BodyFailure>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const broken = (why: string): void => resolve(failed({ kind: "broken", why }))
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= limit) return void chunks.push(chunk)
      resolve(failed({ kind: "too_large" }))
      response.destroy()
    })
    response.on("end", () =>
      response.complete ? resolve(ok(Buffer.concat(chunks))) : broken("the response was incomplete"),
    )
    response.on("error", (error) => broken(connectionWords(error)))
    response.on("close", () => broken("the response was incomplete"))
  })
}

async function unpack(packed: Buffer, encoding: string, limit: number): Promise<Result<Buffer, BodyFailure>> {
  const name = encoding.trim().toLowerCase().slice(0, 50)
  if (name === "" || name === "identity" || packed.length === 0) return ok(packed)
  const unpacker = unpackers.get(name)?.(packed)
  if (unpacker === undefined) return failed({ kind: "broken", why: `it is packed as ${JSON.stringify(name)}` })
  try {
    return ok(await unpacker(packed, { maxOutputLength: limit }))
  } catch (error) {
    const isTooLarge = codeOf(error) === "ERR_BUFFER_TOO_LARGE"
    return failed(isTooLarge ? { kind: "too_large" } : { kind: "broken", why: `its ${name} packing is damaged` })
  }
}

type Unpack = (packed: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const unpackers: ReadonlyMap<string, (packed: Buffer) => Unpack> = new Map<string, (packed: Buffer) => Unpack>([
  ["gzip", () => promisify(gunzip)],
  ["x-gzip", () => promisify(gunzip)],
  ["br", () => promisify(brotliDecompress)],
  // Some servers send deflate with its header and some without; the first two bytes tell.
  ["deflate", (packed) => promisify(hasZlibHeader(packed) ? inflate : inflateRaw)],
])

function hasZlibHeader(packed: Buffer): boolean {
  const [first = 0, second = 0] = packed
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0
}
