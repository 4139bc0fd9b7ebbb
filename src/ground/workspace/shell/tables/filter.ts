/** Filters in the language of jq, which more programs than jq understand. */

/** Whether a filter shows the environment, and with it secrets. A blank may stand behind the dollar sign. */
export const showsEnvironment = (filter: string): boolean =>
  /(?<![\w."'$])(?:env|strenv|envsubst)\b|(?<![\w."'])ENV\b|\$\s*__/.test(filter)
