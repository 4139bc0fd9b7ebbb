/** What a host name alone reveals: this machine, a cloud metadata service or a local network. */

export function isHostName(host: string): boolean {
  return host.length <= 253 && host.split(".").every((label) => /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
}

/** Whatever a resolver says. */
export function isLoopbackName(host: string): boolean {
  return loopbackNames.has(host) || host.endsWith(".localhost")
}

export function isMetadataName(host: string): boolean {
  return metadataNames.has(host)
}

/** Whether a name can only belong to a local network: no one outside can register it and point it at us. */
export function isLocalName(host: string): boolean {
  return !host.includes(".") || isLoopbackName(host) || localSuffixes.some((suffix) => host.endsWith(suffix))
}

const loopbackNames: ReadonlySet<string> = new Set([
  "localhost",
  "localhost.localdomain",
  "localhost6",
  "localhost6.localdomain6",
  "ip6-localhost",
  "ip6-loopback",
])

const metadataNames: ReadonlySet<string> = new Set([
  "instance-data",
  "instance-data.ec2.internal",
  "metadata",
  "metadata.azure.internal",
  "metadata.goog",
  "metadata.google.internal",
  "metadata.oraclecloud.com",
  "metadata.platformequinix.com",
  "metadata.tencentyun.com",
  "rancher-metadata",
])

/** Top-level names that public name servers do not serve. */
const localSuffixes: readonly string[] = [
  ".corp",
  ".home",
  ".home.arpa",
  ".internal",
  ".intranet",
  ".lan",
  ".local",
  ".localdomain",
  ".private",
  ".test",
]
