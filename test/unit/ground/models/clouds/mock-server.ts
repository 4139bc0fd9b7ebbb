/** A small server that gives out tokens, and remembers who asked for them. */

export interface Asking {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

export interface MockServer extends AsyncDisposable {
  readonly url: string
  readonly asked: readonly Asking[]
}

export function mockServer(answer: (asking: Asking) => Response): MockServer {
  const asked: Asking[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const asking = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await request.text(),
      }
      asked.push(asking)
      return answer(asking)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
