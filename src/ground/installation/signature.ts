/** Signatures as `ssh-keygen -Y sign` writes them (Ed25519), so that everybody can check a release without our program. */

import { createHash, createPublicKey, verify } from "node:crypto"
import { failed, ok, type Result } from "#lib/result.ts"

/** What releases are signed for: a signature for anything else does not count. */
const releaseNamespace = "codewright-release"

const magic = "SSHSIG"
const kind = "ssh-ed25519"

/** `key`: a line as in a .pub file. The failure is a sentence. */
export function checkSignature(message: Uint8Array, armored: string, key: string): Result<void, string> {
  const trusted = keyIn(key)
  if (!trusted) return failed(`The release key is not an OpenSSH key of the kind ${kind}: ${key.trim().slice(0, 60)}`)
  const signature = read(armored)
  if (!signature) return failed("The signature is not one that ssh-keygen -Y sign makes with an Ed25519 key.")
  if (!signature.key.equals(trusted)) return failed("It is signed with another key than the one this program trusts.")
  if (signature.namespace !== releaseNamespace)
    return failed(`The signature is for "${signature.namespace}", not for "${releaseNamespace}".`)
  const signed = Buffer.concat([
    Buffer.from(magic),
    ...[signature.namespace, "", signature.hash].map((text) => field(Buffer.from(text))),
    field(createHash(signature.hash).update(message).digest()),
  ])
  const publicKey = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: trusted.toString("base64url") },
    format: "jwk",
  })
  return verify(null, signed, publicKey, signature.bytes) ? ok(undefined) : failed("The signature does not match.")
}

/** The 32 bytes of the key. */
function keyIn(line: string): Buffer | undefined {
  const [name, base64 = ""] = line.trim().split(/\s+/)
  return name === kind ? rawKey(Buffer.from(base64, "base64")) : undefined
}

interface Signature {
  readonly key: Buffer
  readonly namespace: string
  readonly hash: "sha256" | "sha512"
  readonly bytes: Buffer
}

function read(armored: string): Signature | undefined {
  const base64 = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\s*$/.exec(
    armored,
  )?.[1]
  const blob = base64 === undefined ? undefined : Buffer.from(base64, "base64")
  if (!blob || blob.toString("latin1", 0, 6) !== magic || blob.length < 10 || blob.readUInt32BE(6) !== 1)
    return undefined
  const [key, namespace, , hash, signature] = fields(blob.subarray(10)) ?? []
  const raw = key && rawKey(key)
  const [algorithm, bytes] = (signature && fields(signature)) ?? []
  const name = hash?.toString()
  if (!raw || !namespace || !bytes || algorithm?.toString() !== kind || bytes.length !== 64) return undefined
  if (name !== "sha256" && name !== "sha512") return undefined
  return { key: raw, namespace: namespace.toString(), hash: name, bytes }
}

function rawKey(blob: Buffer): Buffer | undefined {
  const [name, key, ...more] = fields(blob) ?? []
  return name?.toString() === kind && key?.length === 32 && more.length === 0 ? key : undefined
}

/** Each is preceded by its length; undefined if they do not fill the bytes exactly. */
function fields(bytes: Buffer): readonly Buffer[] | undefined {
  const found: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    if (at + 4 > bytes.length) return undefined
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    found.push(bytes.subarray(at + 4, end))
    at = end
  }
  return found
}

function field(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
