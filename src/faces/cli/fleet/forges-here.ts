/** Pull requests from this machine: which forge a repository is on, and where the token for it comes from. It is never kept. */

import { readFile } from "node:fs/promises"
import { systemClock } from "#lib/clock.ts"
import type { Network } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { apiOf, type ForgeKind, openPullRequest, placeOfUrl } from "#ground/forges/forge.ts"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import type { RawEnvironment } from "#ground/settings/environment.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import type { ForgeSettings } from "#ground/settings/settings.ts"
import type { OpenPull } from "#fleet/work/publish.ts"

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
    const token = await tokenOf(forge, env, home)
    if (!token.ok) return failed(`There is no token for ${host}: ${token.failure}`)
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

async function tokenOf(
  { tokenEnv, tokenFile, tokenHelper }: ForgeSettings,
  env: RawEnvironment,
  home: string,
): Promise<Result<string, string>> {
  if (tokenHelper !== undefined) return runKeyHelper(tokenHelper, childEnvironment(env), "tokenHelper")
  if (tokenFile !== undefined) {
    const path = tokenFile.replace(/^~(?=\/)/, home)
    const text = await readFile(path, "utf8").catch(() => undefined)
    if (text === undefined) return failed(`the file ${path} cannot be read.`)
    return text.trim() === "" ? failed(`the file ${path} is empty.`) : ok(text.trim())
  }
  if (tokenEnv === undefined) return failed("set tokenEnv, tokenFile or tokenHelper of server.forges.")
  const token = env[tokenEnv]?.trim() ?? ""
  return token === "" ? failed(`the variable ${tokenEnv} is not set.`) : ok(token)
}
