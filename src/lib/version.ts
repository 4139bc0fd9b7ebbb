/** The version, as code, so that `--version` reads no file. A test compares it with package.json. */
export const version = "0.1.0"
