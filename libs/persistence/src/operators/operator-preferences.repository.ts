// Raw SQL: an upsert that merges columns, and an update that returns the row.
import {
  defaultPreferences,
  notFound,
  type ConsoleList,
  type ConsolePageSize,
  type ConsolePreferences,
  type ConsoleTimeZone,
  type ListColumns,
  type PreferencesPatch,
  type SavedView,
} from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import type { Tx } from '../database/transactions.js';
import { jsonb, smallint, statement, text, textOf, uuid } from '../sql/statements.js';
import type { ResultType } from '../sql/statements.js';
import { OperatorPreferencesEntity } from './operator-preferences.entity.js';
import { SavedViewEntity } from './saved-view.entity.js';

const { timeZone, pageSize } = defaultPreferences;

const mergePreferences = statement(
  {
    timeZone: textOf<ConsoleTimeZone>(),
    pageSize: smallint as ResultType<ConsolePageSize>,
    columns: jsonb<ListColumns>(),
  },
  `INSERT INTO operator_preferences AS p (operator_id, time_zone, page_size, columns)
   VALUES ($1, coalesce($2::text, '${timeZone}'), coalesce($3::smallint, ${pageSize}), jsonb_strip_nulls($4::jsonb))
   ON CONFLICT (operator_id) DO UPDATE SET
     time_zone = coalesce($2::text, p.time_zone), page_size = coalesce($3::smallint, p.page_size),
     columns = jsonb_strip_nulls(p.columns || $4::jsonb)
   RETURNING p.time_zone AS "timeZone", p.page_size AS "pageSize", p.columns`,
);

const updateView = statement(
  { id: uuid, list: textOf<ConsoleList>(), name: text, query: text },
  `UPDATE saved_views v SET
     name = coalesce($3::text, v.name), query = coalesce($4::text, v.query)
   WHERE v.operator_id = $1 AND v.id = $2
   RETURNING v.id, v.list, v.name, v.query`,
);

/** Operators' console preferences and saved views. */
export class OperatorPreferencesRepository {
  constructor(private readonly database: Database) {}

  async get(operatorId: string): Promise<ConsolePreferences> {
    const found = await this.database.read((manager) =>
      manager.findOneBy(OperatorPreferencesEntity, { operatorId }),
    );
    return found ?? defaultPreferences;
  }

  /** Merges changed preferences into the stored ones, so that changes in two tabs do not overwrite each other. */
  async merge(tx: Tx, operatorId: string, patch: PreferencesPatch): Promise<ConsolePreferences> {
    const [row] = await tx.execute(mergePreferences, [
      operatorId,
      patch.timeZone ?? null,
      patch.pageSize ?? null,
      JSON.stringify(patch.columns ?? {}),
    ]);
    return row!;
  }

  /** Returns all of an operator's views, oldest first. There are few, because their number is limited. */
  listViews(operatorId: string): Promise<SavedView[]> {
    return this.database.read((manager) =>
      manager.find(SavedViewEntity, { where: { operatorId }, order: { id: 'ASC' } }),
    );
  }

  countViews(tx: Tx, operatorId: string): Promise<number> {
    return tx.manager.countBy(SavedViewEntity, { operatorId });
  }

  async insertView(tx: Tx, operatorId: string, view: SavedView): Promise<void> {
    await tx.manager.insert(SavedViewEntity, { ...view, operatorId });
  }

  /** @throws GatehouseError `not_found` if the operator has no view with this id */
  async updateView(
    tx: Tx,
    operatorId: string,
    id: string,
    { name, query }: Partial<SavedView>,
  ): Promise<SavedView> {
    const [row] = await tx.execute(updateView, [operatorId, id, name ?? null, query ?? null]);
    if (!row) throw notFound();
    return row;
  }

  /** @throws GatehouseError `not_found` if the operator has no view with this id */
  async deleteView(tx: Tx, operatorId: string, id: string): Promise<void> {
    const { affected } = await tx.manager.delete(SavedViewEntity, { operatorId, id });
    if (affected === 0) throw notFound();
  }
}
