/** How names of columns and of properties correspond. */

/** Names are the same; the base of those of programs. */
export class TableMappings {
  newObjectInstance(): object {
    return {}
  }

  getColumnName(propertyName: string): string {
    return propertyName
  }

  getPropertyName(columnName: string): string {
    return columnName
  }
}

/** Names are the same. */
export class DefaultTableMappings extends TableMappings {}

/** Columns `user_id` are properties `userId`. */
export class UnderscoreCqlToCamelCaseMappings extends TableMappings {
  override getColumnName(propertyName: string): string {
    return propertyName.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
  }

  override getPropertyName(columnName: string): string {
    return columnName.replace(/(?!^)_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  }
}
