/** The local file that a resource's address names: reading it through a server counts as reading it. */

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
