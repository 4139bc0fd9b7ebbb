/** A certificate that vouches for itself, and its key, for clients that sign in with one. */

import { readFileSync } from "node:fs"
import { temporaryFolder } from "./tmp.ts"

export function clientCertificateOf(name: string): { readonly cert: string; readonly key: string } {
  using folder = temporaryFolder()
  const [cert, key] = [folder.join("cert.pem"), folder.join("key.pem")]
  const made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", `/CN=${name}`, "-days", "2"]
  const { exitCode, stderr } = Bun.spawnSync([...made, "-keyout", key, "-out", cert])
  if (exitCode !== 0) throw new Error(stderr.toString())
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") }
}
