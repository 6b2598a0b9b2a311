import { Table } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { Database } from '../database/database.js';

/** A column as declared by its entity. */
export interface DeclaredColumn {
  table: string;
  name: string;
  /** SQL for the type, nullability and default. */
  definition: string;
}

/** Returns all entity columns, for comparison with the migrated schema. */
export function declaredColumns({ dataSource }: Database): DeclaredColumn[] {
  const driver = dataSource.driver as PostgresDriver;
  return dataSource.entityMetadatas.flatMap((metadata) =>
    Table.create(metadata, driver).columns.map((column) => {
      const nullability = column.isNullable ? '' : ' NOT NULL';
      const value = column.default === undefined ? '' : ` DEFAULT ${column.default}`;
      const definition = `${driver.createFullType(column)}${nullability}${value}`;
      return { table: metadata.tableName, name: column.name, definition };
    }),
  );
}
