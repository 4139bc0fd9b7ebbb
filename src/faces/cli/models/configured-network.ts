/** The network of this process, as settings and variables describe it. */

import { type OwnNetwork, openNetwork } from "#ground/network/network.ts"
import { exceptionsIn } from "#ground/network/proxies.ts"
import { clientCertificate } from "#ground/settings/client-certificate.ts"
import {
  type Environment,
  processEnvironment,
  type RawEnvironment,
  readEnvironment,
} from "#ground/settings/environment.ts"
import { addedCertificates, proxySettings } from "#ground/settings/network.ts"
import type { Settings } from "#ground/settings/settings.ts"
import { optional } from "#lib/optional.ts"
import { secretsInUrl } from "#lib/mask-known.ts"
import type { Network } from "#lib/network.ts"
import { ok } from "#lib/result.ts"

export function configuredNetwork(
  { settings, env }: { readonly settings: Pick<Settings, "network">; readonly env: RawEnvironment },
  environment: Environment,
  offline: string | undefined,
): OwnNetwork {
  return openNetwork({
    proxies() {
      const proxies = proxySettings(environment, settings.network)
      return { ...proxies, except: proxies.except.flatMap(exceptionsIn) }
    },
    certificate: () => clientCertificate(environment),
    ca() {
      const added = addedCertificates(env, settings.network)
      if (!added.ok || added.value === undefined) return added.ok ? ok(undefined) : added
      // Hardly anybody needs them: they are loaded here.
      return ok([...process.getBuiltinModule("node:tls").getCACertificates("default"), added.value])
    },
    ...optional("offline", offline),
  })
}

/** Passwords of proxies: no message may show them. */
export function proxySecrets(environment: Environment, { network }: Pick<Settings, "network">): readonly string[] {
  const { http, https } = proxySettings(environment, network)
  return [http, https].flatMap((proxy) => secretsInUrl(proxy?.url ?? ""))
}

/** For commands that read no settings. */
export function networkOfEnvironment(): Network {
  const env = processEnvironment()
  return configuredNetwork({ settings: {}, env }, readEnvironment(env), undefined)
}

/** For sessions that are only looked at. */
export const noNetwork = (): Network =>
  openNetwork({
    proxies: () => ({ except: [] }),
    certificate: () => ok(undefined),
    ca: () => ok(undefined),
    offline: "Nothing is contacted here.",
  })
