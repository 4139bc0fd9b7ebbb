/** A loopback server that leaves every connection in the state it is given. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { failed, ok, type Result } from "#lib/result.ts"

export type ListenFailure =
  | { readonly kind: "port_in_use"; readonly port: number; readonly message: string }
  | { readonly kind: "cannot_listen"; readonly message: string }

export interface Listening {
  readonly port: number
  readonly close: () => Promise<void>
}

export function listen(
  port: number,
  respond: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Result<Listening, ListenFailure>> {
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(`The simulator itself failed: ${String(error)}`)
    })
  })
  // A client that thinks for an hour must find its connection as it left it.
  server.keepAliveTimeout = 0
  server.requestTimeout = 0
  server.headersTimeout = 0
  server.timeout = 0
  let closing: Promise<void> | undefined
  const close = (): Promise<void> =>
    (closing ??= new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    }))
  return new Promise((resolve) => {
    server.on("error", (error: Error & { readonly code?: string }) =>
      resolve(
        failed(
          error.code === "EADDRINUSE"
            ? {
                kind: "port_in_use",
                port,
                message: `Port ${port} is in use. Choose another, or 0 for any that is free.`,
              }
            : { kind: "cannot_listen", message: `The simulator cannot listen on port ${port}: ${error.message}` },
        ),
      ),
    )
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resolve(ok({ port: typeof address === "object" && address ? address.port : port, close }))
    })
  })
}
