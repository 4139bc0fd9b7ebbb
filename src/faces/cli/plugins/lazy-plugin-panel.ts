/** The port of the panel of plugins. What it needs is loaded when somebody looks at it. */

import type { PluginsPort } from "#faces/tui/panels/plugins-port.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export function lazyPluginPanel(setting: StartupContext): PluginsPort {
  let port: Promise<PluginsPort> | undefined
  const loaded = (): Promise<PluginsPort> =>
    (port ??= import("./plugin-panel.ts").then(({ pluginPanelPort }) => pluginPanelPort(setting)))
  return {
    list: async (...given) => (await loaded()).list(...given),
    page: async (...given) => (await loaded()).page(...given),
    install: async (...given) => (await loaded()).install(...given),
    enable: async (...given) => (await loaded()).enable(...given),
    disable: async (...given) => (await loaded()).disable(...given),
    remove: async (...given) => (await loaded()).remove(...given),
    update: async (...given) => (await loaded()).update(...given),
    addMarketplace: async (...given) => (await loaded()).addMarketplace(...given),
  }
}
