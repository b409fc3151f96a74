/** Texts in which indentation says what belongs to what: the part of YAML that settings use. */

type Section = { [name: string]: unknown }

/**
 * The sections and values of a text: `name:` begins a section, `name: value` is a value, `#` a
 * comment.
 *
 * @throws Error with the number of a line that is neither
 */
export function indentedText(text: string): Section {
  const root: Section = {}
  const open: { depth: number; section: Section }[] = [{ depth: -1, section: root }]
  text.split(/\r?\n/).forEach((raw, at) => {
    const line = raw.replace(/(^|\s)#.*$/, '').trimEnd()
    if (line.trim() === '' || line === '---') return
    const [, indent = '', name, value = ''] = /^( *)([\w.-]+):(?: +(.*))?$/.exec(line) ?? []
    if (name === undefined) throw new Error(`line ${at + 1} is not \`name: value\``)
    while ((open.at(-1) as { depth: number }).depth >= indent.length) open.pop()
    const { section } = open.at(-1) as { section: Section }
    if (value !== '') {
      section[name] = scalar(value)
      return
    }
    const own: Section = {}
    section[name] = own
    open.push({ depth: indent.length, section: own })
  })
  return root
}

function scalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^-?\d+$/.test(text)) return Number(text)
  return text.replace(/^(["'])(.*)\1$/, '$2')
}
