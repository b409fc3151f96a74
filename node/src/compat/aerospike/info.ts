/** The answers of nodes to info requests, as objects: `info`. */

/**
 * How a part of an answer is divided: by one character into an array, by two into an object; or by a
 * function.
 */
export type Separator = string | ((text: string) => unknown)

/**
 * How answers are divided, by the request; `*` stands for what is between two `/`, and `**` for
 * anything. The first separator divides the whole, the next one its parts. Programs can add entries.
 */
export const separators: { [request: string]: Separator[] } = {
  bins: [';:', bins],
  'bins/*': [bins],
  'namespace/*': [';='],
  service: [';'],
  sindex: [';', ':='],
  'sindex/*': [';', ':='],
  'sindex/*/**': [';='],
  'udf-list': [';', ',='],
  'get-dc-config': [';', ':='],
  sets: [';', ':='],
  'sets/*': [';', ':='],
  'sets/*/**': [(text) => text.slice(0, -1), ':='],
}

/** The answers in a text with one line for each request: an object with a value for each. */
// biome-ignore lint/suspicious/noExplicitAny: what an answer has depends on the request
export function parse(info: string | null | undefined): { [request: string]: any } {
  const answers = info ? objectOf(info, '\n', '\t') : {}
  for (const [request, answer] of Object.entries(answers)) {
    answers[request] = separatorsOf(request).reduce(divide, answer as unknown)
  }
  return answers
}

function separatorsOf(request: string): readonly Separator[] {
  const pattern = Object.keys(separators).find((each) => patternOf(each).test(request))
  return (pattern && separators[pattern]) || [usual]
}

function patternOf(requests: string): RegExp {
  const parts = requests.split(/(\*+)/).map((part) => {
    if (part === '**') return '.*'
    return part === '*' ? '[^/]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`)
}

/** A number, if the text is how JavaScript writes one. */
function scalar(text: string | undefined): unknown {
  return String(Number(text)) === text ? Number(text) : text
}

function objectOf(text: string, between: string, equals: string): { [key: string]: unknown } {
  const entries = text.split(between).filter((entry) => entry !== '')
  return Object.fromEntries(
    entries.map((entry) => {
      const [key, value] = entry.split(equals, 2)
      return [key, scalar(value)]
    }),
  )
}

/** Divides a text, or each of the texts in an array or object. */
function divide(whole: unknown, separator: Separator): unknown {
  if (typeof whole === 'string') return divided(whole, separator)
  if (Array.isArray(whole)) return whole.map((each) => divided(each, separator))
  if (typeof whole !== 'object' || whole === null) return whole
  const entries = Object.entries(whole).map(([key, each]) => [key, divided(each, separator)])
  return Object.fromEntries(entries)
}

function divided(text: string, separator: Separator): unknown {
  if (typeof separator === 'function') return separator(text)
  const [between, equals] = separator
  if (between !== undefined && equals !== undefined) return objectOf(text, between, equals)
  const parts = text.split(separator)
  if (parts.at(-1) === '') parts.pop()
  return parts
}

/** For requests that are not in the table: an object or an array, if the text looks like one. */
function usual(text: unknown): unknown {
  if (typeof text !== 'string' || !text.includes(';')) return text
  return text.includes('=') ? objectOf(text, ';', '=') : text.split(';')
}

/** The numbers and the names of bins. */
function bins(text: string): { stats: object; names: string[] } {
  const parts = text.split(',')
  const stats = Object.fromEntries(
    parts
      .filter((part) => part.includes('='))
      .map((part) => {
        const [key, value] = part.split('=', 2)
        return [key, scalar(value)]
      }),
  )
  return { stats, names: parts.filter((part) => !part.includes('=')) }
}
