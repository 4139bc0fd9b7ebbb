/** Opens pull requests on GitHub, GitLab and Gitea by their public APIs: one for a branch, however often it is asked for. See decision 155. */

import { isObject, type JsonValue } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export const forgeKinds = ["github", "gitlab", "gitea"] as const
export type ForgeKind = (typeof forgeKinds)[number]

/** Where a repository is on a forge. */
export interface ForgeRepository {
  readonly kind: ForgeKind
  readonly host: string
  /** Of its API, without a slash at the end. */
  readonly api: string
  /** `owner/name`; with GitLab there may be groups before it. */
  readonly path: string
  readonly token: string
}

export interface PullWish {
  readonly branch: string
  /** Its default branch when absent. */
  readonly into?: string | undefined
  readonly title: string
  readonly body: string
}

export interface PullRequest {
  readonly url: string
  readonly number: number
  /** Whether it was there before. */
  readonly existed: boolean
}

/** The part of the network that is needed. It throws where nothing is reached. */
export type ForgeFetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly redirect: "manual"
  },
) => Promise<Response>

/** The host and the path of a repository that has an address on the network. */
export function placeOfUrl(url: string): { readonly host: string; readonly path: string } | undefined {
  const [, host = "", path = ""] =
    /^(?:https?|ssh|git):\/\/(?:[^@/]*@)?([^/:]+(?::\d+)?)\/+(.+)$/.exec(url) ??
    /^[\w.-]+@([\w.-]+):(.+)$/.exec(url) ??
    []
  const plain = path.replace(/\/+$/, "").replace(/\.git$/, "")
  return host === "" || !/^[^/]+(?:\/[^/]+)+$/.test(plain) ? undefined : { host, path: plain }
}

export const apiOf = (kind: ForgeKind, host: string): string =>
  ({
    github: host === "github.com" ? "https://api.github.com" : `https://${host}/api/v3`,
    gitlab: `https://${host}/api/v4`,
    gitea: `https://${host}/api/v1`,
  })[kind]

/** The failure is a sentence. Looks first, and again if the forge says that there is one: no wish makes two. */
export async function openPullRequest(
  request: ForgeFetch,
  repository: ForgeRepository,
  wish: PullWish,
): Promise<Result<PullRequest, string>> {
  const ask = asking(request, repository)
  const dialect = dialects[repository.kind]
  const base = dialect.base(repository.path)
  const into = wish.into === undefined || wish.into === "" ? await defaultBranch(ask, base) : ok(wish.into)
  if (!into.ok) return into
  const find = async (): Promise<Result<PullRequest | undefined, string>> => {
    const found = await ask("GET", `${base}${dialect.list(repository, wish.branch, into.value)}`)
    if (!found.ok) return failed(found.failure.message)
    const all = Array.isArray(found.value) ? found.value : []
    const own = all.find((each) => dialect.isOf(each, wish.branch, into.value))
    return ok(own === undefined ? undefined : { ...dialect.read(own), existed: true })
  }
  const before = await find()
  if (!before.ok) return before
  if (before.value) return ok(before.value)
  const made = await ask("POST", `${base}${dialect.requests}`, dialect.body(wish, into.value))
  if (made.ok) return ok({ ...dialect.read(made.value), existed: false })
  if (made.failure.status !== 409 && made.failure.status !== 422) return failed(made.failure.message)
  const after = await find()
  return after.ok && after.value ? ok(after.value) : failed(made.failure.message)
}

interface Dialect {
  readonly base: (path: string) => string
  readonly requests: string
  readonly list: (repository: ForgeRepository, branch: string, into: string) => string
  readonly isOf: (request: JsonValue, branch: string, into: string) => boolean
  readonly body: (wish: PullWish, into: string) => object
  readonly read: (request: JsonValue) => { readonly url: string; readonly number: number }
}

const part = encodeURIComponent
const ownerOf = (path: string): string => path.split("/")[0] ?? ""
const textIn = (value: JsonValue | undefined, ...names: readonly string[]): string => {
  let at: JsonValue | undefined = value
  for (const name of names) at = isObject(at) ? at[name] : undefined
  return typeof at === "string" ? at : ""
}
const numberIn = (value: JsonValue, name: string): number => Number(isObject(value) ? value[name] : Number.NaN)

const dialects: { readonly [kind in ForgeKind]: Dialect } = {
  github: {
    base: (path) => `/repos/${path.split("/").map(part).join("/")}`,
    requests: "/pulls",
    list: ({ path }, branch, into) => `/pulls?state=open&head=${part(`${ownerOf(path)}:${branch}`)}&base=${part(into)}`,
    isOf: (request, branch, into) =>
      textIn(request, "head", "ref") === branch && textIn(request, "base", "ref") === into,
    body: ({ branch, title, body }, into) => ({ title, body, head: branch, base: into }),
    read: (request) => ({ url: textIn(request, "html_url"), number: numberIn(request, "number") }),
  },
  gitlab: {
    base: (path) => `/projects/${part(path)}`,
    requests: "/merge_requests",
    list: (_repository, branch, into) =>
      `/merge_requests?state=opened&source_branch=${part(branch)}&target_branch=${part(into)}`,
    isOf: (request, branch, into) =>
      textIn(request, "source_branch") === branch && textIn(request, "target_branch") === into,
    body: ({ branch, title, body }, into) => ({ title, description: body, source_branch: branch, target_branch: into }),
    read: (request) => ({ url: textIn(request, "web_url"), number: numberIn(request, "iid") }),
  },
  gitea: {
    base: (path) => `/repos/${path.split("/").map(part).join("/")}`,
    requests: "/pulls",
    list: () => "/pulls?state=open&sort=recentupdate&limit=50",
    isOf: (request, branch, into) =>
      textIn(request, "head", "ref") === branch && textIn(request, "base", "ref") === into,
    body: ({ branch, title, body }, into) => ({ title, body, head: branch, base: into }),
    read: (request) => ({ url: textIn(request, "html_url"), number: numberIn(request, "number") }),
  },
}

type AskForge = (
  method: string,
  path: string,
  body?: object,
) => Promise<Result<JsonValue, { readonly status: number; readonly message: string }>>

const mostAnswer = 5_000_000

/** Never redirected: the token is for this address. */
function asking(request: ForgeFetch, { kind, host, api, token, path }: ForgeRepository): AskForge {
  const headers = {
    accept: kind === "github" ? "application/vnd.github+json" : "application/json",
    "content-type": "application/json",
    "user-agent": "codewright",
    ...(kind === "gitlab"
      ? { "private-token": token }
      : { authorization: `${kind === "gitea" ? "token" : "Bearer"} ${token}` }),
    ...(kind === "github" && { "x-github-api-version": "2022-11-28" }),
  }
  return async (method, to, body) => {
    const init = { method, headers, redirect: "manual", ...(body && { body: JSON.stringify(body) }) } as const
    const answered = await request(`${api}${to}`, init).catch((error: unknown) => String(error))
    if (typeof answered === "string")
      return failed({ status: 0, message: `${host} cannot be reached: ${answered.slice(0, 200)}` })
    const text = (await answered.text().catch(() => "")).slice(0, mostAnswer)
    const value = parsed(text)
    if (answered.ok && value !== undefined) return ok(value)
    return failed({ status: answered.status, message: refusalWords({ host, path }, answered.status, value) })
  }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

async function defaultBranch(ask: AskForge, base: string): Promise<Result<string, string>> {
  const about = await ask("GET", base)
  if (!about.ok) return failed(about.failure.message)
  const name = textIn(about.value, "default_branch")
  return name === ""
    ? failed("The repository has no default branch. Say which branch the pull request is for.")
    : ok(name)
}

function refusalWords(
  { host, path }: Pick<ForgeRepository, "host" | "path">,
  status: number,
  value: JsonValue | undefined,
): string {
  if (status === 401) return `${host} does not accept the token. Check the token of server.forges in the settings.`
  if (status === 403)
    return `${host} does not allow the token to do that for ${path}. Give it the right to read code and write pull requests.`
  if (status === 404) return `${host} has no repository ${path}, or the token may not see it.`
  if (status >= 300 && status < 400)
    return `${host} sends requests elsewhere. Set api of server.forges to its API's address.`
  const said = saidIn(value)
  return `${host} refused it with ${status}${said === "" ? "" : `: ${said}`}.`
}

/** Each has its own way of saying what is wrong. */
function saidIn(value: JsonValue | undefined): string {
  if (!isObject(value)) return ""
  const errors = Array.isArray(value["errors"])
    ? value["errors"].map((each) => (typeof each === "string" ? each : textIn(each, "message")))
    : []
  const message = value["message"] ?? value["error"]
  const main = typeof message === "string" ? message : message === undefined ? "" : JSON.stringify(message)
  return [main, ...errors]
    .filter((each) => each !== "")
    .join("; ")
    .replace(/[.\s]+$/, "")
    .slice(0, 500)
}
