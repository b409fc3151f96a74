/** Checkers: schemas of all kinds, in one form. */

import type { ConversionIssue } from '../model/conversion-error.js'

/** What a checker says of a value: its output, or what is wrong with it. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ConversionIssue[] }

/** Checks one bin. */
export type BinChecker = (value: unknown) => Checked

/** Checks records. */
export interface Checker {
  /** What messages call it. */
  readonly name: string | undefined
  /** The bins that it knows, with how to check one alone; `undefined` if it may have others. */
  readonly bins: ReadonlyMap<string, BinChecker> | undefined
  /** The bins of what a program writes; instances are taken apart. */
  take(value: unknown): { bins: object; whole: boolean }
  /** Checks all bins of a write; the output is an object of bins. */
  write(bins: object): Checked
  /** Checks the bins of a record that was read; the output is its value. */
  read(bins: object): Checked
}

/** The error for a schema that a dataset cannot have. */
export function unfit(message: string): TypeError {
  return new TypeError(`schema: ${message}`)
}

/** What is wrong with a bin, as seen from its record. */
export function inBin(bin: string, issues: readonly ConversionIssue[]): ConversionIssue[] {
  return issues.map(({ path, message }) => ({ path: [bin, ...path], message }))
}
