/** The hosts that credentials of well-known services belong to. */

/** Where a token of GitHub is used: git, the API, uploads of releases, files of private repositories, packages. */
export const githubHosts: readonly string[] = [
  "github.com",
  "api.github.com",
  "uploads.github.com",
  "codeload.github.com",
  "raw.githubusercontent.com",
  "npm.pkg.github.com",
]

/** Variables by name; any other is handed in only if a setting names its hosts. */
export const variableHosts: { readonly [name: string]: readonly string[] } = {
  GITHUB_TOKEN: githubHosts,
  GH_TOKEN: githubHosts,
  GITHUB_PAT: githubHosts,
  HOMEBREW_GITHUB_API_TOKEN: githubHosts,
  GITLAB_TOKEN: ["gitlab.com"],
  GITLAB_PRIVATE_TOKEN: ["gitlab.com"],
  GITLAB_ACCESS_TOKEN: ["gitlab.com"],
  BITBUCKET_TOKEN: ["bitbucket.org", "api.bitbucket.org"],
  BITBUCKET_APP_PASSWORD: ["bitbucket.org", "api.bitbucket.org"],
  NPM_TOKEN: ["registry.npmjs.org"],
  NPM_AUTH_TOKEN: ["registry.npmjs.org"],
  NODE_AUTH_TOKEN: ["registry.npmjs.org"],
  YARN_NPM_AUTH_TOKEN: ["registry.npmjs.org", "registry.yarnpkg.com"],
  PYPI_TOKEN: ["upload.pypi.org"],
  TWINE_PASSWORD: ["upload.pypi.org"],
  POETRY_PYPI_TOKEN_PYPI: ["upload.pypi.org"],
  UV_PUBLISH_TOKEN: ["upload.pypi.org"],
  UV_PUBLISH_PASSWORD: ["upload.pypi.org"],
  CARGO_REGISTRY_TOKEN: ["crates.io"],
  GEM_HOST_API_KEY: ["rubygems.org"],
  RUBYGEMS_API_KEY: ["rubygems.org"],
  NUGET_API_KEY: ["www.nuget.org"],
  HEX_API_KEY: ["hex.pm"],
}
