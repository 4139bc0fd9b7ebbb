/** The variables by which confined programs find the proxy. */

import { expect, test } from "bun:test"
import { proxyVariables } from "#ground/sandbox/network/proxy-variables.ts"

test("a call goes along by its name, and no program asks for a newer version of itself", () => {
  const variables = proxyVariables(61_080, "toolu 1/2")
  expect(variables).toMatchObject({
    HTTP_PROXY: "http://toolu%201%2F2:x@127.0.0.1:61080",
    https_proxy: "http://toolu%201%2F2:x@127.0.0.1:61080",
    no_proxy: "localhost,127.0.0.1,::1,.localhost",
    npm_config_update_notifier: "false",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
  })
  expect(proxyVariables(61_080)["HTTP_PROXY"]).toBe("http://127.0.0.1:61080")
})
