/** The certificate that the user signs in with at a gateway, read from the files that the environment names. */

import { readFileSync } from "node:fs"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Environment } from "./environment.ts"

export interface ClientCertificate {
  readonly cert: string
  readonly key: string
  readonly passphrase?: string
}

type CertificateVariables = Pick<Environment, "clientCertificate" | "clientKey" | "clientKeyPassphrase" | "givenBy">

/** Undefined if none is named. One that cannot be used is a failure: without it, the gateway would refuse us anyway. */
export function clientCertificate(environment: CertificateVariables): Result<ClientCertificate | undefined, string> {
  const { clientCertificate: certFile, clientKey: keyFile, clientKeyPassphrase, givenBy } = environment
  if (certFile === undefined && keyFile === undefined) return ok(undefined)
  if (certFile === undefined) return failed(`${givenBy.clientKey} is set without CODEWRIGHT_CLIENT_CERT. Set both.`)
  if (keyFile === undefined)
    return failed(`${givenBy.clientCertificate} is set without CODEWRIGHT_CLIENT_KEY. Set both.`)
  const cert = textOf(certFile, givenBy.clientCertificate)
  if (!cert.ok) return cert
  const key = textOf(keyFile, givenBy.clientKey)
  if (!key.ok) return key
  const certificate = { cert: cert.value, key: key.value, ...optional("passphrase", clientKeyPassphrase) }
  try {
    // Loaded here, because hardly anybody has one.
    process.getBuiltinModule("node:tls").createSecureContext(certificate)
  } catch {
    return failed(
      `${certFile} and ${keyFile} are not a certificate and its key in PEM, or the passphrase of the key is wrong or missing (${givenBy.clientKeyPassphrase ?? "CODEWRIGHT_CLIENT_KEY_PASSPHRASE"}).`,
    )
  }
  return ok(certificate)
}

function textOf(path: string, variable: string | undefined): Result<string, string> {
  try {
    return ok(readFileSync(path, "utf8"))
  } catch (error) {
    return failed(
      `${variable} names ${path}, which cannot be read (${error instanceof Error ? error.message : String(error)}).`,
    )
  }
}
