/** The local file that the address of a resource names: whoever has a server read it has read it. */

export function fileIn(uri: string): string | undefined {
  const address = uri.trim()
  if (address.startsWith("/")) return address
  const url = URL.parse(address)
  if (url?.protocol !== "file:") return undefined
  try {
    return decodeURIComponent(url.pathname)
  } catch {
    return url.pathname
  }
}
