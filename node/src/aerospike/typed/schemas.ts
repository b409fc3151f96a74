/** The kinds of schemas that a dataset takes, and the types that they describe. */

import type { Bins } from '../model/record.js'

/** What a Standard Schema, version 1, has in its property `~standard`. */
export interface StandardProperties {
  readonly version: 1
  readonly vendor: string
  readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>
  readonly types?: { readonly input: unknown; readonly output: unknown } | undefined
}

/** What a Standard Schema says of a value: its output, or what is wrong with it. */
export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

/** Something that is wrong with a value. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema of zod, valibot, arktype or any other library with the interface Standard Schema. */
export interface StandardSchema {
  readonly '~standard': StandardProperties
}

/** A schema of TypeBox. It is compiled by `@sinclair/typebox/compiler`. */
export interface TypeBoxSchema {
  readonly static: unknown
  readonly params: unknown[]
}

/** A schema of TypeBox that is compiled already: `TypeCompiler.Compile(schema)`. */
export interface CompiledSchema {
  Schema(): { readonly static: unknown }
  Check(value: unknown): boolean
  Errors(value: unknown): Iterable<{ readonly path: string; readonly message: string }>
}

/**
 * A class whose instances have the bins as properties. It can be constructed without arguments, or
 * has a static method `fromBins(bins)`; its instances may have a method `toBins()`. A static property
 * `schema` checks the bins: a schema of another kind.
 */
export type RecordClass =
  | (new () => object)
  | ((abstract new (...args: never[]) => object) & { fromBins(bins: Bins): object })

/** A schema of records. */
export type RecordSchema = StandardSchema | TypeBoxSchema | CompiledSchema | RecordClass

/** The properties of an instance that are not methods. */
export type Fields<T> = {
  [P in keyof T as T[P] extends (...args: never[]) => unknown ? never : P]: T[P]
}

type Described<S, P extends 'input' | 'output'> = S extends {
  readonly '~standard': { readonly types?: infer T }
}
  ? NonNullable<T>[P & keyof NonNullable<T>]
  : S extends { readonly static: infer T; readonly params: unknown[] }
    ? T
    : S extends { Schema(): { readonly static: infer T } }
      ? T
      : S extends { readonly prototype: infer T }
        ? P extends 'input'
          ? Partial<Fields<T>>
          : T
        : never

type AsObject<T> = unknown extends T ? Bins : T extends object ? T : never

/** What a schema makes of the bins of a record: the type of `record.value`. */
export type InferOutput<S> = AsObject<Described<S, 'output'>>

/** What can be written to a dataset with this schema. */
export type InferInput<S> = AsObject<Described<S, 'input'>>
