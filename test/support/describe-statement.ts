import type pg from 'pg';

/** A column in a statement's result, as PostgreSQL describes it. */
export interface DescribedColumn {
  name: string;
  type: string;
  /** True if the column comes from a nullable table column, or null if it comes from no table. */
  nullable: boolean | null;
}

interface Field {
  name: string;
  tableID: number;
  columnID: number;
  dataTypeID: number;
}

/** A pg query that parses and describes a statement without executing it. */
class Description {
  private fields: Field[] = [];
  readonly done: Promise<Field[]>;
  private resolve!: (fields: Field[]) => void;
  private reject!: (error: Error) => void;

  constructor(private readonly text: string) {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  submit(connection: any): void {
    connection.parse({ name: '', text: this.text, types: [] });
    connection.describe({ type: 'S', name: '' });
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.fields = fields;
  }

  handleError(error: Error): void {
    this.reject(error);
  }

  handleReadyForQuery(): void {
    this.resolve(this.fields);
  }
}

/** Returns the columns in a statement's result. @throws PostgreSQL's error if the statement is invalid */
export async function describeStatement(client: pg.ClientBase, text: string): Promise<DescribedColumn[]> {
  const description = new Description(text);
  client.query(description as unknown as pg.Submittable);
  const fields = await description.done;
  const { rows } = await client.query<{ type: string; nullable: boolean | null }>(
    `SELECT format_type(f.type, NULL) AS type, NOT a.attnotnull AS nullable
     FROM unnest($1::oid[], $2::oid[], $3::int[]) WITH ORDINALITY AS f (type, "table", "column", place)
       LEFT JOIN pg_attribute a ON a.attrelid = f."table" AND a.attnum = f."column"
     ORDER BY f.place`,
    [
      fields.map(({ dataTypeID }) => dataTypeID),
      fields.map(({ tableID }) => tableID),
      fields.map(({ columnID }) => columnID),
    ],
  );
  return fields.map(({ name }, index) => ({ name, ...rows[index]! }));
}
