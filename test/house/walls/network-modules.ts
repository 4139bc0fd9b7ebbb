/** A wall around the runtime's modules that open connections: their values are imported only where connections are made. */

import { connections } from "./places.ts"
import { breach, type Source } from "./source.ts"

const imports = /\bimport\s+(?!type\b)([^;"'`]*?)\bfrom\s*(?=["'`])/g
const connecting = /^(?:node:)?(?:https?|http2|tls|net|dgram)$/
/** Names that listen or compute, and connect to nothing. */
const harmless =
  /^(?:type\s.*|createServer|isIP|isIPv4|isIPv6|BlockList|getCACertificates|rootCertificates|createSecureContext)$/

export function networkModuleBreaches(tree: readonly Source[]): readonly string[] {
  return tree
    .filter(({ path }) => !connections.mayStand(path))
    .flatMap((source) =>
      [...source.code.matchAll(imports)].flatMap((match) => {
        const at = match.index + match[0].length
        const specifier = source.text.slice(at + 1, source.text.indexOf(source.text[at] ?? "", at + 1))
        if (!connecting.test(specifier)) return []
        const names = (match[1] ?? "").replaceAll(/[{}]/g, "").split(",")
        const bad = names.map((name) => name.trim()).filter((name) => name !== "" && !harmless.test(name))
        return bad.map((name) => breach(source, match.index, `imports ${name} of ${specifier}: ${connections.what}`))
      }),
    )
}
