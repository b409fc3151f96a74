/** Parses a subcommand's options and shows its help. */

import { parseArgs } from 'node:util'

/** One option. */
export interface Option {
  /** The placeholder of its value in the help; absent for a boolean flag. */
  value?: string
  /** Whether the value is a whole number. */
  number?: boolean
  /** Whether it may be given several times. */
  multiple?: boolean
  /** Another name, of one letter. */
  short?: string
  /** The default value. */
  default?: string | number | readonly string[]
  help: string
}

/** A subcommand's options, by name without dashes. */
export type Options = { readonly [name: string]: Option }

/** Describes a subcommand. */
export interface Description {
  name: string
  /** The placeholder of the arguments after the options. */
  rest?: string
  text: string
  options: Options
}

/** The parsed arguments. */
export interface Flags {
  text(name: string): string
  number(name: string): number
  list(name: string): string[]
  /** What stands behind the options. */
  rest: string[]
}

/** Invalid arguments: the message is shown with a hint at `--help`, and the exit code is 2. */
export class UsageError extends Error {}

/**
 * Parses arguments. If help is requested, shows it and returns `undefined`. Throws a `UsageError`.
 */
export function read(description: Description, args: string[]): Flags | undefined {
  const options: {
    [name: string]: { type: 'string' | 'boolean'; multiple: true; short?: string }
  } = { help: { type: 'boolean', multiple: true, short: 'h' } }
  for (const [name, { value, short }] of Object.entries(description.options)) {
    options[name] = { type: value === undefined ? 'boolean' : 'string', multiple: true }
    if (short !== undefined) options[name].short = short
  }
  const rest = description.rest !== undefined
  const parsed = parse(args, options, rest)
  if (parsed.values['help']) {
    process.stdout.write(help(description))
    return undefined
  }
  const values = new Map<string, string[]>()
  for (const [name, value] of Object.entries(parsed.values)) {
    const texts = (value as (string | boolean)[]).map(String)
    if (texts.length > 1 && !description.options[name]?.multiple) {
      throw new UsageError(`--${name} is given ${texts.length} times`)
    }
    values.set(name, texts)
  }
  const list = (name: string): string[] => {
    const value = values.get(name) ?? description.options[name]?.default ?? []
    return Array.isArray(value) ? [...value] : [String(value)]
  }
  const text = (name: string) => list(name)[0] as string
  const number = (name: string) => {
    if (!/^\d+$/.test(text(name))) {
      throw new UsageError(`--${name} must be a whole number, got ${JSON.stringify(text(name))}`)
    }
    return Number(text(name))
  }
  for (const [name, option] of Object.entries(description.options)) if (option.number) number(name)
  return { text, number, list, rest: parsed.positionals }
}

function parse(
  args: string[],
  options: NonNullable<Parameters<typeof parseArgs>[0]>['options'],
  allowPositionals: boolean,
): { values: { [name: string]: unknown }; positionals: string[] } {
  try {
    return parseArgs({ args, options: options ?? {}, allowPositionals, strict: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** The help text, wrapped at 80 characters. */
export function help({ name, rest, text, options }: Description): string {
  const entries = Object.entries(options).map(([name, option]): [string, string] => {
    const short = option.short === undefined ? '' : `-${option.short}, `
    const value = option.value === undefined ? '' : ` ${option.value}`
    const standard = Array.isArray(option.default) ? option.default.join(', ') : option.default
    const initial = standard === undefined || standard === '' ? '' : ` (default: ${standard})`
    return [`${short}--${name}${value}`, `${option.help}${initial}`]
  })
  entries.push(['-h, --help', 'show this help'])
  const lines = entries.map(
    ([left, right]) => `  ${left}\n${wrapped(right, 74).replace(/^/gm, '      ')}`,
  )
  const behind = rest === undefined ? '' : ` ${rest}`
  const usage = `usage: spikewire ${name} [OPTIONS]${behind}`
  return `${usage}\n\n${wrapped(text, 80)}\n\noptions:\n${lines.join('\n')}\n`
}

function wrapped(text: string, width: number): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else {
      lines.push(word)
    }
  }
  return lines.join('\n')
}
