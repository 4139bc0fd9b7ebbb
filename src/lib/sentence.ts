/** With the full stop that it may lack. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
