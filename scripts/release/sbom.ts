/** What a release is made of, as CycloneDX: every package of the lock file that is not for development alone or for other platforms, and the runtime. */

import lock from "../../package-lock.json"
import { description, devDependencies, license } from "../../package.json"
import { targets } from "./targets.ts"

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly license?: string
  readonly dev?: boolean
  /** Where it can be installed; anywhere if absent. */
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

const isShipped = ({ dev, os, cpu }: Locked): boolean =>
  dev !== true &&
  targets.some(({ platform, arch }) => (os?.includes(platform) ?? true) && (cpu?.includes(arch) ?? true))

export function sbom(version: string, date: string): string {
  const packages: { readonly [path: string]: Locked } = lock.packages
  const shipped = Object.entries(packages)
    .filter(([path, locked]) => path !== "" && isShipped(locked))
    .map(([path, locked]) => component(path.replace(/^.*node_modules\//, ""), locked))
  const runtime = component("bun", packages["node_modules/bun"] ?? { version: devDependencies.bun, license: "MIT" })
  const components = [...shipped, runtime].toSorted((a, b) => (a.purl < b.purl ? -1 : a.purl > b.purl ? 1 : 0))
  const digest = new Bun.CryptoHasher("sha256").update(JSON.stringify(components) + version).digest("hex")
  const uuid = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  const document = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      timestamp: date,
      component: {
        type: "application",
        name: "codewright",
        version,
        description,
        licenses: [{ license: { id: license } }],
      },
    },
    components,
  }
  return `${JSON.stringify(document, undefined, 2)}\n`
}

interface Component {
  readonly type: "library"
  readonly "bom-ref": string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly hashes?: readonly object[]
  readonly licenses?: readonly object[]
}

function component(name: string, { version: itsVersion = "", integrity, license: itsLicense }: Locked): Component {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${itsVersion}`
  const [, sha512] = /^sha512-(\S+)/.exec(integrity ?? "") ?? []
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version: itsVersion,
    purl,
    ...(sha512 !== undefined && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(sha512, "base64").toString("hex") }],
    }),
    ...(itsLicense !== undefined && { licenses: [{ expression: itsLicense }] }),
  }
}
