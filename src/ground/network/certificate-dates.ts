/** From when until when the certificates in a PEM file are valid. */

import { X509Certificate } from "node:crypto"

export interface CertificateDates {
  /** Who it is for, as its own text says. */
  readonly subject: string
  /** Milliseconds since the epoch. */
  readonly from: number
  readonly until: number
}

/** Undefined for what cannot be read as a certificate. */
export function certificateDates(pem: string): readonly (CertificateDates | undefined)[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block) => {
    try {
      const { subject, validFrom, validTo } = new X509Certificate(block)
      return { subject: subject.replaceAll("\n", ", "), from: Date.parse(validFrom), until: Date.parse(validTo) }
    } catch {
      return undefined
    }
  })
}
