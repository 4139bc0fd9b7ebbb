/** What the build wrote into the executable about itself; from source, only that it is the source. */

export interface Build {
  /** Its version, where a release names another than the sources. */
  readonly version?: string
  /** The commit it was built from; undefined from source. */
  readonly commit?: string
  /** When that commit was made, as an ISO date: two builds of one commit are the same. */
  readonly date?: string
  /** The platform it was built for, as releases name it. */
  readonly target?: string
  /** Where releases are, unless settings say otherwise. */
  readonly source?: string
  /** The public key that signs releases, as OpenSSH writes it. */
  readonly key?: string
  /** Digests (SHA-256) of the compressed files it carries, unpacked. */
  readonly assets?: { readonly [name: string]: string }
}

declare const CODEWRIGHT_BUILD: Build | undefined

export const build: Build = typeof CODEWRIGHT_BUILD === "undefined" ? {} : CODEWRIGHT_BUILD
