/** A forge on a socket that keeps pull requests as GitHub, GitLab and Gitea do: one for a branch and a target, and conflicts said in their own way. */

import type { ForgeKind } from "#ground/forges/forge.ts"

export interface MockForge extends Disposable {
  readonly url: string
  readonly host: string
  readonly pulls: readonly MockPull[]
  readonly asked: readonly { readonly method: string; readonly path: string; readonly token: string }[]
}

export interface MockPull {
  readonly number: number
  readonly head: string
  readonly base: string
  readonly title: string
  readonly body: string
}

export interface MockForgeParts {
  readonly kind: ForgeKind
  readonly token: string
  /** Not told of, as when somebody else opened it a moment ago. */
  readonly hides?: number
}

export function openMockForge({ kind, token, hides = 0 }: MockForgeParts): MockForge {
  const pulls: MockPull[] = []
  const asked: { method: string; path: string; token: string }[] = []
  let hidden = hides
  const shown = (pull: MockPull): object => {
    const url = `${server.url.origin}/pull/${pull.number}`
    return kind === "gitlab"
      ? { iid: pull.number, web_url: url, source_branch: pull.head, target_branch: pull.base }
      : { number: pull.number, html_url: url, head: { ref: pull.head }, base: { ref: pull.base } }
  }
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const given = request.headers.get("private-token") ?? request.headers.get("authorization")?.split(" ")[1] ?? ""
      asked.push({ method: request.method, path: pathname, token: given })
      if (given !== token) return Response.json({ message: "Bad credentials" }, { status: 401 })
      const isList = /\/(?:pulls|merge_requests)$/.test(pathname)
      if (!/owner(?:\/|%2F)shop/.test(request.url)) return Response.json({ message: "Not Found" }, { status: 404 })
      if (!isList) return Response.json({ default_branch: "main" })
      if (request.method === "GET") return Response.json(hidden-- > 0 ? [] : pulls.map(shown))
      const body = (await request.json()) as Record<string, string>
      const head = body["head"] ?? body["source_branch"] ?? ""
      const base = body["base"] ?? body["target_branch"] ?? ""
      if (base === "gone")
        return Response.json(
          { message: "Validation Failed", errors: [{ message: "base is invalid" }] },
          { status: 422 },
        )
      if (pulls.some((each) => each.head === head && each.base === base))
        return kind === "github"
          ? Response.json(
              { message: "Validation Failed", errors: [{ message: "A pull request already exists" }] },
              { status: 422 },
            )
          : Response.json({ message: ["Another open merge request already exists"] }, { status: 409 })
      const made = {
        number: pulls.length + 7,
        head,
        base,
        title: body["title"] ?? "",
        body: body["body"] ?? body["description"] ?? "",
      }
      pulls.push(made)
      return Response.json(shown(made), { status: 201 })
    },
  })
  return {
    url: server.url.origin,
    host: server.url.host,
    pulls,
    asked,
    [Symbol.dispose]: () => void server.stop(true),
  }
}
