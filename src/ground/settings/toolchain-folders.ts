/** Variables by which people tell programs where their toolchain lies. */

const names: ReadonlySet<string> = new Set(
  (
    "ANDROID_HOME ANDROID_SDK_ROOT ASDF_DATA_DIR ASDF_DIR BUN_INSTALL CARGO_HOME CONDA_PREFIX DENO_DIR DENO_INSTALL " +
    "DOTNET_ROOT FNM_DIR GEM_HOME GOCACHE GOMODCACHE GOPATH GOROOT GRADLE_HOME GRADLE_USER_HOME JAVA_HOME M2_HOME " +
    "MAVEN_HOME MISE_DATA_DIR NODENV_ROOT NUGET_PACKAGES NVM_BIN NVM_DIR PIPX_HOME PNPM_HOME PYENV_ROOT RBENV_ROOT " +
    "RUSTUP_HOME SDKMAN_DIR UV_CACHE_DIR UV_PYTHON_INSTALL_DIR VIRTUAL_ENV VOLTA_HOME"
  ).split(" "),
)

/** Absolute paths; a variable may name several. */
export const toolchainFolders = (env: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(env)
    .filter(([name]) => names.has(name))
    .flatMap(([, value]) => value.split(":"))
    .filter((path) => path.startsWith("/"))
