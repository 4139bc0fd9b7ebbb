import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { checkSignature } from "#ground/installation/signature.ts"
import { makeKey } from "../../../kit/releases.ts"
import { lastingFolder } from "../../../kit/tmp.ts"

const folder = lastingFolder()
const key = makeKey(`${folder}/key`)
const publicKey = readFileSync(`${key}.pub`, "utf8")
const message = Buffer.from("0123  codewright-1.0.0-linux-x64.tar.zst\n")

function signed(namespace: string, by: string = key): string {
  const { stdout } = Bun.spawnSync(["ssh-keygen", "-q", "-Y", "sign", "-f", by, "-n", namespace], { stdin: message })
  return stdout.toString()
}

const signature = signed("codewright-release")

test("what ssh-keygen signs for releases is accepted", () => {
  expect(checkSignature(message, signature, publicKey)).toEqual({ ok: true, value: undefined })
})

test("another message, another key, another purpose and another kind of key are refused", () => {
  const other = makeKey(`${folder}/other`)
  const refusals = [
    checkSignature(Buffer.from("other"), signature, publicKey),
    checkSignature(message, signed("codewright-release", other), publicKey),
    checkSignature(message, signed("git"), publicKey),
    checkSignature(message, "nothing", publicKey),
    checkSignature(message, signature, "ssh-rsa AAAA"),
  ]
  expect(refusals.map((result) => (result.ok ? "accepted" : result.failure))).toEqual([
    "The signature does not match.",
    "It is signed with another key than the one this program trusts.",
    'The signature is for "git", not for "codewright-release".',
    "The signature is not one that ssh-keygen -Y sign makes with an Ed25519 key.",
    "The release key is not an OpenSSH key of the kind ssh-ed25519: ssh-rsa AAAA",
  ])
})

test("no changed byte of a signature is accepted, and none throws", () => {
  const [, base64 = ""] = /-----\n([^-]+)\n-----/.exec(signature) ?? []
  const blob = Buffer.from(base64, "base64")
  fc.assert(
    fc.property(fc.nat(blob.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Buffer.from(blob)
      changed[at] = (changed[at] ?? 0) ^ by
      const armored = `-----BEGIN SSH SIGNATURE-----\n${changed.toString("base64")}\n-----END SSH SIGNATURE-----\n`
      expect(checkSignature(message, armored, publicKey).ok).toBe(false)
    }),
  )
})
