/** The addresses of nodes by the numbers that the native part has for them. */

const addresses: string[] = []

/** Called by the native part. */
export function nameNode(number: number, address: string): void {
  addresses[number] = address
}

/** The address of a node; empty if there was none. */
export function nodeAddress(number: number): string {
  return addresses[number] as string
}
