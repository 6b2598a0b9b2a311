// Raw SQL: an upsert that returns the row, and a read that runs for every email.
import type { MailText } from '@gatehouse/domain';
import type { CustomerMailKind } from '@gatehouse/platform';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { jsonb, statement, text, textOf, timestamptz, type RowOf } from '../sql/statements.js';
import { MailTemplateEntity } from './mail-template.entity.js';

const templateRow = {
  kind: textOf<CustomerMailKind>(),
  language: text,
  text: jsonb<MailText>(),
  updatedAt: timestamptz,
};

/** A project's template for an email kind and language. */
export type MailTemplate = RowOf<typeof templateRow>;

const templateColumns = `t.kind, t.language, t.text, t.updated_at AS "updatedAt"`;

const listTemplatesInLanguages = statement(
  templateRow,
  `SELECT ${templateColumns} FROM mail_templates t
   WHERE t.project_id = $1 AND t.kind = $2 AND t.language = ANY ($3)`,
);

const saveTemplate = statement(
  templateRow,
  `INSERT INTO mail_templates AS t (project_id, kind, language, text) VALUES ($1, $2, $3, $4)
   ON CONFLICT (project_id, kind, language) DO UPDATE SET text = excluded.text, updated_at = now()
   RETURNING ${templateColumns}`,
);

/** The email templates that projects have changed. */
export class MailTemplatesRepository {
  constructor(private readonly database: Database) {}

  /** Returns all of a project's templates, unsorted. The language limit bounds their number. */
  list(projectId: string, tx?: Tx): Promise<MailTemplate[]> {
    const where = { projectId };
    return tx
      ? tx.manager.findBy(MailTemplateEntity, where)
      : this.database.read((manager) => manager.findBy(MailTemplateEntity, where));
  }

  /** Returns the templates for an email kind in the given languages, unsorted. */
  listInLanguages(
    tx: Tx,
    projectId: string,
    kind: CustomerMailKind,
    languages: readonly string[],
  ): Promise<MailTemplate[]> {
    return tx.execute(listTemplatesInLanguages, [projectId, kind, languages]);
  }

  async save(
    tx: Tx,
    projectId: string,
    { kind, language, text: mailText }: Pick<MailTemplate, 'kind' | 'language' | 'text'>,
  ): Promise<MailTemplate> {
    const [row] = await tx.execute(saveTemplate, [projectId, kind, language, JSON.stringify(mailText)]);
    return row!;
  }

  /** Deletes a template. @returns false if it does not exist */
  async delete(tx: Tx, projectId: string, kind: CustomerMailKind, language: string): Promise<boolean> {
    const { affected } = await tx.manager.delete(MailTemplateEntity, { projectId, kind, language });
    return affected !== 0;
  }
}
