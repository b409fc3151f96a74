/**
 * Known differences between other packages and their drop-ins, as data: the findings of `spikewire
 * compat check`. Each drop-in has a table (`<drop-in>/differences.ts`).
 *
 * Keys are names as programs use them: `Client.executeGraph` for a property or a method,
 * `Client(option)` for an option of a constructor or of a factory, `execute(option)` for one of a
 * call, `geometry.Point` for what a module has. A `*` at the end stands for any name.
 */

/** A name that the drop-in does not support; `instead` ends the sentence "... is not supported:". */
export interface Missing {
  readonly kind: 'missing'
  readonly instead: string
}

/** A name that it supports with a difference; `how` is a sentence without its full stop. */
export interface Differs {
  readonly kind: 'differs'
  readonly how: string
}

export type Difference = Missing | Differs

/** The differences of one drop-in. */
export interface Differences {
  /** The package whose API it has. */
  readonly peer: string
  /** What to import instead. */
  readonly dropIn: string
  readonly entries: { readonly [name: string]: Difference }
}

/**
 * What is known about a name, by its own entry or that of what it is a member of, or by that of a
 * pattern.
 */
export function findDifference({ entries }: Differences, name: string): Difference | undefined {
  for (let part = name; part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('.')))) {
    if (Object.hasOwn(entries, part)) return entries[part]
  }
  for (const [pattern, difference] of Object.entries(entries)) {
    if (pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1))) return difference
  }
  return undefined
}

/** A name that is not supported. */
export function missing(instead: string): Missing {
  return { kind: 'missing', instead }
}

/** A name that differs. */
export function differs(how: string): Differs {
  return { kind: 'differs', how }
}
