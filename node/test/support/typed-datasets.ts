/** Types of datasets with a schema: the compiler accepts and rejects what it should. */

import { type Static, Type } from '@sinclair/typebox'
import type { Client } from 'spikewire'
import { z } from 'zod'

const Zod = z.object({
  name: z.string(),
  age: z.number(),
  tags: z.array(z.string()).optional(),
})
const Box = Type.Object({ name: Type.String(), age: Type.Integer() })
class Class {
  name = ''
  label(): string {
    return this.name
  }
}

/** Never called. */
export async function types(open: Client): Promise<void> {
  const people = open.dataset('test', 'people', { schema: Zod })
  const { value } = await people.get(1)
  const tags: string[] | undefined = value.tags
  // @ts-expect-error a string is no number
  const age: string = value.age
  // @ts-expect-error a bin is missing
  await people.put(1, { name: 'x' })
  await people.put(1, { name: 'x' }, { exists: 'update' })
  // @ts-expect-error a string is no number
  await people.putMany([[1, { name: 'x', age: 'y' }]])
  const box = (await open.dataset('test', 'x', { schema: Box }).get(1)).value
  const same: Static<typeof Box> = box
  const instance: Class = (await open.dataset('test', 'x', { schema: Class }).get(1)).value
  const untyped = await open.dataset('test', 'x').get(1)
  const bins: { [bin: string]: unknown } = untyped.value
  const own = (await open.dataset<{ n: number }>('test', 'x').get(1)).value
  const n: number = own.n
  const defaulted = z.object({ level: z.number().default(3) })
  await open.dataset('test', 'x', { schema: defaulted }).put(1, {})
  void [tags, age, same, instance, bins, n]
}
