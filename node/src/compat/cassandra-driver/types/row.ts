/** The rows of a result. */

/** A column of a result, as far as rows know it. */
export interface NamedColumn {
  readonly name: string
}

/** A row: its values are its properties. */
export class Row {
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  [column: string]: any

  /** @throws Error without columns */
  constructor(columns: readonly NamedColumn[]) {
    if (!columns) throw new Error('the columns of a row are missing')
    Object.defineProperty(this, '__columns', { value: columns })
  }

  /** The value of a column, by name or index. */
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  get(column: string | number): any {
    if (typeof column !== 'number') return this[column]
    return this[(this['__columns'][column] as NamedColumn).name]
  }

  /** The values, in order. */
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  values(): any[] {
    return Object.values(this)
  }

  /** The names of the columns, in order. */
  keys(): string[] {
    return Object.keys(this)
  }

  /** Calls a function with value and name of each column. */
  // biome-ignore lint/suspicious/noExplicitAny: the other driver's type
  forEach(callback: (value: any, column: string) => void): void {
    for (const name of Object.keys(this)) callback(this[name], name)
  }
}
