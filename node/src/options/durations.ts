/** Time limits that are longer than they were probably meant to be. */

const HOUR = 3_600_000
/** Options that are time limits; a very long one may have been meant in another unit. */
export const TIME_LIMITS: readonly string[] = ['timeout', 'socketTimeout', 'connectTimeout']

/** The options that were warned about. */
const warned = new Set<string>()

/** Warns once, for each option, about a time limit of more than an hour. */
export function checkSpan(name: string, value: unknown): void {
  if (typeof value !== 'number' || !(value > HOUR) || warned.has(name)) return
  warned.add(name)
  process.emitWarning(
    `${name}: ${value} is more than an hour: it is in milliseconds, and 0 means no limit`,
  )
}
