/** What settings and variables say about the network: proxies, and files with certificates to trust. */

import { readFileSync } from "node:fs"
import { failed, ok, type Result } from "#lib/result.ts"
import { type Environment, processEnvironment, type RawEnvironment } from "./environment.ts"
import type { NetworkSettings } from "./settings.ts"

export interface ProxySetting {
  readonly url: string
  /** The setting or variable that names it. */
  readonly from: string
}

export interface ProxySettings {
  readonly http: ProxySetting | undefined
  readonly https: ProxySetting | undefined
  /** As written: each may be a list. */
  readonly except: readonly string[]
}

/** A setting counts more than a variable, which may be set for other programs. */
export function proxySettings(environment: Environment, settings: NetworkSettings = {}): ProxySettings {
  const { proxy, noProxy } = settings
  const written = proxy === undefined ? undefined : { url: proxy, from: "network.proxy" }
  const named = (field: "httpProxy" | "httpsProxy"): ProxySetting | undefined => {
    const url = environment[field]
    return url === undefined ? undefined : { url, from: environment.givenBy[field] ?? field }
  }
  return {
    http: written ?? named("httpProxy"),
    https: written ?? named("httpsProxy"),
    except: [...(noProxy ?? []), environment.noProxy ?? ""],
  }
}

/**
 * The certificates in files that the runtime does not know of: it reads the variable when the process starts, and so
 * not what settings say. Undefined if there are none.
 */
export function addedCertificates(
  env: RawEnvironment,
  { caFile }: NetworkSettings = {},
): Result<string | undefined, string> {
  const variable = env["NODE_EXTRA_CA_CERTS"]
  const isNew = variable && variable !== processEnvironment()["NODE_EXTRA_CA_CERTS"]
  const texts: string[] = []
  for (const [from, file] of [
    ["network.caFile", caFile],
    ["NODE_EXTRA_CA_CERTS", isNew ? variable : undefined],
  ]) {
    if (!file) continue
    try {
      texts.push(readFileSync(file, "utf8"))
    } catch (error) {
      return failed(
        `${from} names ${file}, which cannot be read (${error instanceof Error ? error.message : String(error)})`,
      )
    }
  }
  return ok(texts.length === 0 ? undefined : texts.join("\n"))
}
