/** A WebSocket to a program on this machine: no proxy is between, and no other machine is reached. */

export const openLocalSocket = (
  port: number,
  {
    headers,
    protocols,
  }: { readonly headers: { readonly [name: string]: string }; readonly protocols: readonly string[] },
): WebSocket => new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { ...headers }, protocols: [...protocols] })
