/** What TLS connections are made with: certificates to trust besides the usual ones, and the user's own. */

/** Signs the user in at the other end of a connection. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  readonly passphrase?: string
}

export interface TlsOptions extends Partial<Certificate> {
  /** Everything that is trusted; what the runtime trusts when absent. */
  readonly ca?: readonly string[]
}
