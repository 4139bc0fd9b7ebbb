/** The variables by which programs find the proxy: what most of them read, and what some need in addition. */

/** `callId` is sent as the user name, so that the proxy knows whose connection it is. */
export function proxyVariables(port: number, callId?: string): Readonly<Record<string, string>> {
  // Git asks for a password where there is only a name, so there is one that means nothing.
  const user = callId === undefined ? "" : `${encodeURIComponent(callId)}:x@`
  const http = `http://${user}127.0.0.1:${port}`
  // The loopback of the namespace is shared by the commands of the session and needs no proxy.
  const direct = "localhost,127.0.0.1,::1,.localhost"
  return {
    ...inBothCases("HTTP_PROXY", http),
    ...inBothCases("HTTPS_PROXY", http),
    // Not socks5h, which the proxy speaks as well: Python's httpx does not even start with it unless a package for
    // SOCKS is installed, and curl reaches everything else through CONNECT just as well.
    ...inBothCases("ALL_PROXY", http),
    ...inBothCases("NO_PROXY", direct),
    // Git tries without the user name first unless it is told how the proxy wants it.
    GIT_HTTP_PROXY_AUTHMETHOD: "basic",
    // Node's fetch reads the variables above only when told to.
    NODE_USE_ENV_PROXY: "1",
    npm_config_proxy: http,
    npm_config_https_proxy: http,
    npm_config_noproxy: direct,
    YARN_HTTP_PROXY: http,
    YARN_HTTPS_PROXY: http,
    RSYNC_PROXY: `${user}127.0.0.1:${port}`,
    ...quiet,
  }
}

/** Otherwise programs would check for updates, and the user would be asked about that host. */
const quiet: Readonly<Record<string, string>> = {
  CHECKPOINT_DISABLE: "1",
  DO_NOT_TRACK: "1",
  GH_NO_UPDATE_NOTIFIER: "1",
  NEXT_TELEMETRY_DISABLED: "1",
  NO_UPDATE_NOTIFIER: "1",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  npm_config_update_notifier: "false",
}

const inBothCases = (name: string, value: string): Readonly<Record<string, string>> => ({
  [name]: value,
  [name.toLowerCase()]: value,
})
