// One implementation for both module systems, so that a program that mixes them has one set of
// classes and one native part.
export * from './otel.js'
