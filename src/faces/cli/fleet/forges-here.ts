/** Pull requests from this machine: which forge a repository is on, and where the token for it comes from. It is never kept. */

import { systemClock } from "#lib/clock.ts"
import type { Network } from "#lib/network.ts"
import { failed } from "#lib/result.ts"
import { apiOf, type ForgeKind, openPullRequest, placeOfUrl } from "#ground/forges/forge.ts"
import type { RawEnvironment } from "#ground/settings/environment.ts"
import type { ForgeSettings } from "#ground/settings/settings.ts"
import type { OpenPull } from "#fleet/work/publish.ts"
import { readSecret } from "./server-secrets.ts"

const longestMs = 30_000

const knownKinds: { readonly [host: string]: ForgeKind } = { "github.com": "github", "gitlab.com": "gitlab" }

export interface ForgesHere {
  readonly forges: readonly ForgeSettings[]
  readonly network: Network
  readonly env: RawEnvironment
  readonly home: string
}

export const openPullsHere =
  ({ forges, network, env, home }: ForgesHere): OpenPull =>
  async (url, wish) => {
    const place = placeOfUrl(url)
    if (!place) return failed(`${url} is not on a server that has pull requests.`)
    const { host, path } = place
    const forge = forges.find((each) => each.host.toLowerCase() === host.toLowerCase())
    if (!forge)
      return failed(
        `There is no token for ${host}. Add it to server.forges in the settings where the worker runs: host, and tokenEnv, tokenFile or tokenHelper.`,
      )
    const kind = forge.kind ?? knownKinds[host.toLowerCase()]
    if (kind === undefined)
      return failed(
        `It is not known which program runs on ${host}. Set kind of server.forges to github, gitlab or gitea.`,
      )
    const token = await readSecret(forge, "token", { env, home })
    if (!token.ok) return failed(`There is no token for ${host}: ${token.failure}`)
    if (token.value === undefined)
      return failed(`There is no token for ${host}: set tokenEnv, tokenFile or tokenHelper of server.forges.`)
    const api = (forge.api ?? apiOf(kind, host)).replace(/\/+$/, "")
    const late = new AbortController()
    const stop = systemClock.after(longestMs, () => late.abort())
    try {
      return await openPullRequest(
        (address, init) =>
          network.fetch({ why: "server", name: host, chosenBy: "user" }, address, { ...init, signal: late.signal }),
        { kind, host, api, path, token: token.value },
        wish,
      )
    } finally {
      stop()
    }
  }
