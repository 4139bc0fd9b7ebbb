import { expect, test } from "bun:test"
import { webhooksHere } from "#faces/cli/fleet/webhooks-here.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { WebhookSettings } from "#ground/settings/settings.ts"
import { valueOf } from "../../../kit/team/conformance.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const settingOf = (
  webhooks: readonly WebhookSettings[],
  env: Record<string, string> = {},
): Pick<StartupContext, "loaded" | "network"> => ({
  network: directNetwork(),
  loaded: { settings: { server: { webhooks } }, env } as unknown as StartupContext["loaded"],
})

const failureOf = async (...wanted: Parameters<typeof settingOf>): Promise<string> => {
  const hooks = await webhooksHere(settingOf(...wanted))
  return hooks.ok ? "" : hooks.failure
}

test("a webhook needs a secret, and says where it was looked for", async () => {
  const url = "https://example.com/hook"
  expect(await failureOf([{ url }])).toContain(
    "server.webhooks[0]: there is no secret for the signature. Set the variable CODEWRIGHT_WEBHOOK_SECRET",
  )
  expect(await failureOf([{ url, secretEnv: "MINE" }], { CODEWRIGHT_WEBHOOK_SECRET: "x" })).toContain("MINE")
  expect(await failureOf([{ url, secretHelper: "exit 3" }])).toContain("secretHelper ended with code 3")
  expect(await failureOf([{ url: "file:///etc/passwd" }], { CODEWRIGHT_WEBHOOK_SECRET: "x" })).toContain(
    "is not an address",
  )
  const [hook] = valueOf(await webhooksHere(settingOf([{ url, secretHelper: "echo from a helper" }])))
  expect(hook?.secret).toBe("from a helper")
})

test("an address of this machine or its network is reached only if the settings say so, and never by a redirect", async () => {
  const heard: string[] = []
  const inside: Bun.Server<undefined> = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request): Promise<Response> {
      heard.push(`${new URL(request.url).pathname} ${await request.text()}`)
      return new URL(request.url).pathname === "/moved"
        ? Response.redirect(`http://127.0.0.1:${inside.port}/elsewhere`, 307)
        : new Response("")
    },
  })
  const env = { CODEWRIGHT_WEBHOOK_SECRET: "x" }
  const send = async (settings: WebhookSettings): Promise<number | undefined> => {
    const [hook] = valueOf(await webhooksHere(settingOf([settings], env)))
    return hook?.send("{}", {}, new AbortController().signal)
  }
  for (const host of ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.0.0.1", "0x7f.1"])
    expect(await send({ url: `http://${host}:${inside.port}/` })).toBeUndefined()
  expect(heard).toEqual([])
  expect(await send({ url: `http://127.0.0.1:${inside.port}/here`, allowPrivate: true })).toBe(200)
  expect(await send({ url: `http://127.0.0.1:${inside.port}/moved`, allowPrivate: true })).toBe(307)
  expect(heard).toEqual(["/here {}", "/moved {}"])
  await inside.stop(true)
})
