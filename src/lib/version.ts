/** The version, as code, so that `--version` reads no file. A test holds it against package.json. */
export const version = "0.1.0"
