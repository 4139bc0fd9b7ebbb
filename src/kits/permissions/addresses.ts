/** The addresses that a program which fetches is given among its words. */

import { isTextValue } from "./rules/text-flags.ts"

/** Flags with a value in the next word, besides those that take a text. */
const valued: { readonly [program: string]: RegExp } = {
  curl: /^(?:-[#aBfgGiIjJklLMnNOpqRsSvVZ0-6]*[oTKxDcEUQt]|--(?:output|output-dir|upload-file|config|proxy|dump-header|cookie-jar|cert|key|capath|resolve|connect-to|interface|stderr|trace|trace-ascii|proto|tls-max|ciphers|dns-servers|doh-url|socks5|socks5-hostname|unix-socket|netrc-file|etag-save|etag-compare|parallel-max|speed-limit|speed-time|time-cond))$/,
  wget: /^(?:-[oOaPitTwQeDAR]|--(?:output-document|output-file|directory-prefix|input-file|wait|quota|execute|password|level))$/,
}

/** The words that are neither flags nor their values. */
export function addressesIn(name: string, words: readonly string[]): readonly string[] {
  return words.flatMap((word, i) => {
    if (i === 0 || word.startsWith("-") || isTextValue(name, words, i)) return []
    return valued[name]?.test(words[i - 1] ?? "") ? [] : [word]
  })
}
