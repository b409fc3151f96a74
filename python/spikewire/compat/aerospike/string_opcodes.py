"""Codes of operations on text, of joined lists and of base64, which the official client keeps to
itself."""

from __future__ import annotations

from typing import Final

OP_APPEND: Final = 1237
OP_BASE64_DECODE: Final = 1217
OP_BIT_B64_ENCODE: Final = 2018
OP_BYTE_LENGTH: Final = 1210
OP_CASEFOLD: Final = 1228
OP_CHAR_AT: Final = 1203
OP_CONCAT: Final = 1221
OP_CONTAINS: Final = 1205
OP_ENDS_WITH: Final = 1207
OP_FIND: Final = 1204
OP_INSERT: Final = 1219
OP_IS_LOWER: Final = 1213
OP_IS_NUMERIC: Final = 1211
OP_IS_UPPER: Final = 1212
OP_LIST_JOIN: Final = 1042
OP_LOWER: Final = 1227
OP_NORMALIZE_NFC: Final = 1229
OP_OVERWRITE: Final = 1220
OP_PAD_END: Final = 1234
OP_PAD_START: Final = 1233
OP_PREPEND: Final = 1238
OP_REGEX_COMPARE: Final = 1218
OP_REGEX_REPLACE: Final = 1236
OP_REPEAT: Final = 1235
OP_REPLACE: Final = 1224
OP_REPLACE_ALL: Final = 1225
OP_SNIP: Final = 1222
OP_SPLIT: Final = 1215
OP_SPLIT_SEPARATOR: Final = 1216
OP_STARTS_WITH: Final = 1206
OP_STRLEN: Final = 1200
OP_SUBSTR: Final = 1201
OP_SUBSTR_RANGE: Final = 1202
OP_TO_BLOB: Final = 1214
OP_TO_DOUBLE: Final = 1209
OP_TO_INTEGER: Final = 1208
OP_TO_STRING: Final = 1239
OP_TRIM: Final = 1232
OP_TRIM_END: Final = 1231
OP_TRIM_START: Final = 1230
OP_UPPER: Final = 1226
