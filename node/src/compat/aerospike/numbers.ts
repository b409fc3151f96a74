/** The numbers of operations, operators and their constants. */

/** Added to a return type: all elements but the selected ones. */
export const INVERTED = 0x10000

/** What operations on lists and maps return of the elements that they select, by number. */
export const RETURNS = {
  0: 'none',
  1: 'index',
  2: 'reverse_index',
  3: 'rank',
  4: 'reverse_rank',
  5: 'count',
  6: 'key',
  7: 'value',
  8: 'key_value',
  9: 'index_range',
  10: 'reverse_index_range',
  11: 'rank_range',
  12: 'reverse_rank_range',
  13: 'exists',
  16: 'unordered_map',
  17: 'ordered_map',
} as const

/** Orders of lists, by number. */
export const LIST_ORDERS = { 0: 'unordered', 1: 'ordered' } as const
/** Orders of maps, by number. */
export const MAP_ORDERS = { 0: 'unordered', 1: 'key', 3: 'key_value' } as const
/** How arithmetic on bits treats a result that does not fit, by number. */
export const OVERFLOWS = { 0: 'fail', 2: 'saturate', 4: 'wrap' } as const

/** What is returned of the elements at the end of a path, by number. */
export const PATH_RETURNS = { 0: 'tree', 1: 'value', 2: 'key', 3: 'key_value' } as const
/** A flag of paths: elements on which a step or expression fails are left out. */
export const PATH_NO_FAIL = 16
/** A flag of paths: the elements are modified. */
export const PATH_APPLY = 4

/** Operators of expressions. */
export const OPERATOR = {
  UNKNOWN: 0,
  EQ: 1,
  NE: 2,
  GT: 3,
  GE: 4,
  LT: 5,
  LE: 6,
  REGEX: 7,
  GEO: 8,
  IN_LIST: 9,
  AND: 16,
  OR: 17,
  NOT: 18,
  EXCLUSIVE: 19,
  ADD: 20,
  SUB: 21,
  MUL: 22,
  DIV: 23,
  POW: 24,
  LOG: 25,
  MOD: 26,
  ABS: 27,
  FLOOR: 28,
  CEIL: 29,
  TO_INT: 30,
  TO_FLOAT: 31,
  INT_AND: 32,
  INT_OR: 33,
  INT_XOR: 34,
  INT_NOT: 35,
  INT_LSHIFT: 36,
  INT_RSHIFT: 37,
  INT_ARSHIFT: 38,
  INT_COUNT: 39,
  INT_LSCAN: 40,
  INT_RSCAN: 41,
  MIN: 50,
  MAX: 51,
  DIGEST_MODULO: 64,
  DEVICE_SIZE: 65,
  LAST_UPDATE: 66,
  SINCE_UPDATE: 67,
  VOID_TIME: 68,
  TTL: 69,
  SET_NAME: 70,
  KEY_EXIST: 71,
  IS_TOMBSTONE: 72,
  MEMORY_SIZE: 73,
  RECORD_SIZE: 74,
  KEY: 80,
  BIN: 81,
  BIN_TYPE: 82,
  REMOVE_RESULT: 100,
  MAP_KEYS: 101,
  MAP_VALUES: 102,
  LOOPVAR: 122,
  COND: 123,
  VAR: 124,
  LET: 125,
  CALL: 127,
  VALUE: 128,
  GEO_VALUE: 129,
  INT: 131,
  UINT: 132,
  FLOAT: 133,
  BOOL: 134,
  STR: 135,
  BYTES: 136,
  DEF: 137,
} as const

/** Operations on whole bins and on the record. */
export const SCALAR = { WRITE: 0, READ: 1, INCR: 2, PREPEND: 3, APPEND: 4, TOUCH: 5, DELETE: 6 }
/** The value of an expression. */
export const EXPRESSION = { WRITE: 0x500, READ: 0x501 }
/** Elements at the end of a path. */
export const PATH = { SELECT: 0x600, MODIFY: 0x601 }

/** Operations on lists. */
export const LIST = numbered(0x100, [
  ...['SET_ORDER', 'SORT', 'APPEND', 'APPEND_ITEMS', 'INSERT', 'INSERT_ITEMS'],
  ...['POP', 'POP_RANGE', 'REMOVE', 'REMOVE_RANGE', 'REMOVE_BY_INDEX', 'REMOVE_BY_INDEX_RANGE'],
  ...['REMOVE_BY_VALUE', 'REMOVE_BY_VALUE_LIST', 'REMOVE_BY_VALUE_RANGE'],
  ...['REMOVE_BY_VALUE_REL_RANK_RANGE', 'REMOVE_BY_RANK', 'REMOVE_BY_RANK_RANGE', 'CLEAR', 'SET'],
  ...['TRIM', 'GET', 'GET_RANGE', 'GET_BY_INDEX', 'GET_BY_INDEX_RANGE', 'GET_BY_VALUE'],
  ...['GET_BY_VALUE_LIST', 'GET_BY_VALUE_RANGE', 'GET_BY_VALUE_REL_RANK_RANGE', 'GET_BY_RANK'],
  ...['GET_BY_RANK_RANGE', 'INCREMENT', 'SIZE', 'CREATE'],
] as const)

/** Operations on maps. */
export const MAP = numbered(0x200, [
  ...['SET_POLICY', 'PUT', 'PUT_ITEMS', 'INCREMENT', 'DECREMENT', 'CLEAR', 'REMOVE_BY_KEY'],
  ...['REMOVE_BY_KEY_LIST', 'REMOVE_BY_KEY_RANGE', 'REMOVE_BY_KEY_REL_INDEX_RANGE'],
  ...['REMOVE_BY_VALUE', 'REMOVE_BY_VALUE_LIST', 'REMOVE_BY_VALUE_RANGE'],
  ...['REMOVE_BY_VALUE_REL_RANK_RANGE', 'REMOVE_BY_INDEX', 'REMOVE_BY_INDEX_RANGE'],
  ...['REMOVE_BY_RANK', 'REMOVE_BY_RANK_RANGE', 'SIZE', 'GET_BY_KEY', 'GET_BY_KEY_LIST'],
  ...['GET_BY_KEY_RANGE', 'GET_BY_KEY_REL_INDEX_RANGE', 'GET_BY_VALUE', 'GET_BY_VALUE_LIST'],
  ...['GET_BY_VALUE_RANGE', 'GET_BY_VALUE_REL_RANK_RANGE', 'GET_BY_INDEX', 'GET_BY_INDEX_RANGE'],
  ...['GET_BY_RANK', 'GET_BY_RANK_RANGE', 'CREATE'],
] as const)

/** Operations on bits. */
export const BIT = numbered(0x300, [
  ...['RESIZE', 'INSERT', 'REMOVE', 'SET', 'OR', 'XOR', 'AND', 'NOT', 'LSHIFT', 'RSHIFT'],
  ...['ADD', 'SUBTRACT', 'SET_INT', 'GET', 'LSCAN', 'RSCAN', 'GET_INT'],
] as const)

/** Operations on sketches. `READ` and `READ_LIST` have a command besides. */
export const HLL = numbered(0x400, [
  ...['INIT', 'ADD', 'SET_UNION', 'REFRESH_COUNT', 'FOLD', 'READ', 'READ_LIST'],
] as const)

/** Reads of sketches. */
export const HLL_READS = {
  GET_COUNT: 50,
  GET_UNION: 51,
  GET_UNION_COUNT: 52,
  GET_INTERSECT_COUNT: 53,
  GET_SIMILARITY: 54,
  DESCRIBE: 55,
} as const

function numbered<N extends string>(first: number, names: readonly N[]): Record<N, number> {
  return Object.fromEntries(names.map((name, at) => [name, first + at])) as Record<N, number>
}
