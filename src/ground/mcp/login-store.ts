/** Logins at servers, kept in the state folder, each in a private file. */

import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { replaceFile } from "#lib/state-file.ts"
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client"
import { isObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import type { OauthConfig } from "./server-config.ts"

export interface Login {
  readonly client?: StoredOAuthClientInformation
  readonly tokens?: StoredOAuthTokens
  readonly discovery?: OAuthDiscoveryState
  /** The rights that the server asked for last. */
  readonly wanted?: string
}

export interface LoginStore {
  readonly read: (url: string) => Login | undefined
  readonly write: (url: string, login: Login) => void
  readonly forget: (url: string) => boolean
}

export function openLoginStore(stateFolder: string): LoginStore {
  const folder = join(stateFolder, "mcp-logins")
  const fileOf = (url: string): string =>
    join(folder, `${new Bun.CryptoHasher("sha256").update(url).digest("hex").slice(0, 32)}.json`)

  return {
    read(url) {
      try {
        const value: unknown = JSON.parse(readFileSync(fileOf(url), "utf8"))
        // A file of ours, written below; one that someone broke is as good as none.
        return isObject(value) && isObject(value.login) && value.url === url
          ? (value.login as unknown as Login)
          : undefined
      } catch {
        return undefined
      }
    },
    write(url, login) {
      const written = replaceFile(fileOf(url), `${JSON.stringify({ version: 1, url, login }, null, 2)}\n`)
      if (!written.ok) throw new Error(written.failure)
    },
    forget(url) {
      const known = this.read(url) !== undefined
      rmSync(fileOf(url), { force: true })
      return known
    },
  }
}

/** Without `onRedirect` no browser is opened, so that only a refresh can succeed. */
export function loginProvider({
  url,
  logins,
  redirectUrl = "http://127.0.0.1/callback",
  state,
  onRedirect,
  oauth = {},
  secret,
}: {
  readonly url: string
  readonly logins: LoginStore
  readonly redirectUrl?: string
  readonly state?: string
  readonly onRedirect?: (to: URL) => void
  readonly oauth?: OauthConfig | undefined
  /** Of a client that was registered by hand. */
  readonly secret?: string | undefined
}): OAuthClientProvider {
  let verifier = ""
  const registered = oauth.clientId && { client_id: oauth.clientId, ...(secret && { client_secret: secret }) }
  const change = (more: Login): void => logins.write(url, { ...logins.read(url), ...more })
  return {
    redirectUrl,
    clientMetadata: {
      client_name: "Codewright",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(oauth.scopes !== undefined && { scope: oauth.scopes }),
    },
    ...(state !== undefined && { state: () => state }),
    ...optional("clientMetadataUrl", oauth.clientMetadataUrl),
    // It was registered with the server that is asked now, or it is of no use.
    clientInformation: (context) =>
      logins.read(url)?.client ?? (registered ? { ...registered, ...optional("issuer", context?.issuer) } : undefined),
    saveClientInformation: (client) => change({ client }),
    tokens: () => logins.read(url)?.tokens,
    saveTokens: (tokens) => change({ tokens }),
    redirectToAuthorization: (to) => onRedirect?.(to),
    saveCodeVerifier: (code) => void (verifier = code),
    codeVerifier: () => verifier,
    discoveryState: () => logins.read(url)?.discovery,
    saveDiscoveryState: (discovery) => change({ discovery }),
    invalidateCredentials(scope) {
      const { client, tokens, discovery, wanted } = logins.read(url) ?? {}
      logins.write(url, {
        ...optional("wanted", wanted),
        ...(client && scope !== "all" && scope !== "client" && { client }),
        ...(tokens && scope !== "all" && scope !== "tokens" && { tokens }),
        ...(discovery && scope !== "all" && scope !== "discovery" && { discovery }),
      })
    },
  }
}
