// This file contains SQL: an upsert, conditional updates that return rows, inserts of many rows, and conditions on a reach.
import { MoreThan } from 'typeorm';
import {
  notFound,
  type CustomerImport,
  type ImportState,
  type ImportLineResult,
  type Reach,
} from '@gatehouse/domain';
import { Conditions, sampleReaches } from '../conditions.js';
import type { Database } from '../database.js';
import { NIL_UUID } from '../uuid-v7.js';
import { pruneStatement, pruneWith } from '../prune.js';
import { dynamicStatement, integer, nullable, statement, textOf, timestamptz, uuid } from '../statements.js';
import type { Tx } from '../transactions.js';
import { ImportFailureEntity } from './import-failure.entity.js';
import { ImportEntity } from './import.entity.js';

/** An import as the request knows it that works on it. */
export interface ImportClaim {
  id: string;
  projectId: string;
  /** Names the request: once another one has claimed the import, this one writes nothing more. */
  claim: string;
}

/** How far an import has come. */
export interface ImportProgress {
  lastLine: number;
  /** Of all lines until then; null for an import that nobody can go on with. */
  linesMac: Buffer | null;
  results: ImportLineResult[];
}

/** Of each kind: an import of whatever length leaves no more behind. */
const MAX_RECORDED_FAILURES = 10_000;

/** A request that has written nothing for that long is dead: it commits, or ends, far more often. */
const STALE_AFTER = `interval '2 minutes'`;

const claimImport = statement(
  { id: uuid },
  `INSERT INTO imports AS i (id, project_id, organization_id, claim) VALUES ($1, $2, $3, $4)
   ON CONFLICT (id, project_id) DO UPDATE
     SET claim = excluded.claim, state = 'running', updated_at = now(), finished_at = NULL
     WHERE i.last_line = $5
   RETURNING i.id`,
);

const advanceImport = statement(
  { skipped: integer, failed: integer },
  `UPDATE imports SET last_line = $4, lines_mac = $5, created = created + $6, skipped = skipped + $7,
     failed = failed + $8, updated_at = now()
   WHERE id = $1 AND project_id = $2 AND claim = $3 RETURNING skipped, failed`,
);

const insertFailures = statement(
  {},
  `INSERT INTO import_failures (import_id, project_id, line, status, customer_id, errors)
   SELECT $1, $2, f.line, f.status, f."customerId", f.errors
   FROM json_to_recordset($3::json) AS f (line int, status text, "customerId" uuid, errors jsonb)`,
);

const findImport = dynamicStatement(
  {
    id: uuid,
    projectId: uuid,
    created: integer,
    skipped: integer,
    failed: integer,
    lastLine: integer,
    state: textOf<ImportState>(),
    createdAt: timestamptz,
    updatedAt: timestamptz,
    finishedAt: nullable(timestamptz),
  },
  (reach: Reach, id: string) => {
    const where = new Conditions().addReach('i', 'i.project_id', reach);
    // Two projects can have an import of one id, though not by chance: then the newer one is meant.
    const text = `
      SELECT i.id, i.project_id AS "projectId", i.created, i.skipped, i.failed, i.last_line AS "lastLine",
        CASE WHEN i.state = 'running' AND i.updated_at < now() - ${STALE_AFTER} THEN 'interrupted' ELSE i.state END AS state,
        i.created_at AS "createdAt", i.updated_at AS "updatedAt", i.finished_at AS "finishedAt"
      FROM imports i WHERE ${where.sql} AND i.id = ${where.bind(id)}
      ORDER BY i.created_at DESC, i.project_id LIMIT 1`;
    return { text, values: where.values };
  },
  sampleReaches.map((reach) => [reach, NIL_UUID] as const),
);

const isOld = `created_at < now() - $1 * interval '1 day' AND updated_at < now() - $1 * interval '1 day'`;
const pruneFailures = pruneStatement(
  'import_failures',
  `(import_id, project_id) IN (SELECT id, project_id FROM imports WHERE ${isOld})`,
);
const pruneImports = pruneStatement('imports', isOld);

/** Imports of customers, and the lines that made nobody. */
export class ImportsRepository {
  constructor(private readonly database: Database) {}

  /** How far an import has come, whether it was begun or not. Nothing changes. */
  async getProgress({ id, projectId }: ImportClaim): Promise<Pick<ImportProgress, 'lastLine' | 'linesMac'>> {
    const started = await this.database.read((manager) => manager.findOneBy(ImportEntity, { id, projectId }));
    return started ?? { lastLine: 0, linesMac: null };
  }

  /**
   * Begins an import, or takes over one that was begun: whoever worked on it writes nothing more.
   * @returns false, with nothing changed, when it has come further than `lastLine`
   */
  async claim(
    tx: Tx,
    { id, projectId, claim }: ImportClaim,
    organizationId: string,
    lastLine: number,
  ): Promise<boolean> {
    const rows = await tx.execute(claimImport, [id, projectId, organizationId, claim, lastLine]);
    return rows.length > 0;
  }

  /**
   * Notes lines that the same transaction has imported. The caller rolls back when it has lost its claim.
   * @returns false when another request has claimed the import
   */
  async recordProgress(
    tx: Tx,
    { id, projectId, claim }: ImportClaim,
    progress: ImportProgress,
  ): Promise<boolean> {
    const { lastLine, linesMac, results } = progress;
    const count = (wanted: string): number => results.filter(({ status }) => status === wanted).length;
    const [row] = await tx.execute(advanceImport, [
      ...[id, projectId, claim, lastLine, linesMac],
      ...[count('created'), count('skipped'), count('failed')],
    ]);
    if (!row) return false;
    const kept = [
      ...failuresToRecord(results, 'skipped', row.skipped),
      ...failuresToRecord(results, 'failed', row.failed),
    ];
    if (kept.length > 0) await tx.execute(insertFailures, [id, projectId, JSON.stringify(kept)]);
    return true;
  }

  /** Ends the work of a request, unless another one has taken over. */
  async finish(
    tx: Tx,
    { id, projectId, claim }: ImportClaim,
    state: 'interrupted' | 'completed',
  ): Promise<void> {
    await tx.manager.update(
      ImportEntity,
      { id, projectId, claim },
      { state, finishedAt: state === 'completed' ? () => 'now()' : null },
    );
  }

  /** @throws GatehouseError `not_found` */
  async get(reach: Reach, id: string): Promise<CustomerImport> {
    const [row] = await this.database.execute(findImport(reach, id));
    if (!row) throw notFound();
    return row;
  }

  /** The lines of an import that made nobody, in order. */
  async listFailures(
    { id, projectId }: CustomerImport,
    afterLine: number,
    limit: number,
  ): Promise<ImportLineResult[]> {
    return this.database.read((manager) =>
      manager.find(ImportFailureEntity, {
        where: { importId: id, projectId, line: MoreThan(afterLine) },
        order: { line: 'ASC' },
        take: limit,
      }),
    );
  }

  /** Removes imports that were begun and touched more than `days` ago, their lines first. */
  async prune(days: number, signal: AbortSignal): Promise<void> {
    await pruneWith(this.database, signal, pruneFailures, [days]);
    await pruneWith(this.database, signal, pruneImports, [days]);
  }
}

/** Those of a kind that still have a place. @param total of the kind, these included */
function failuresToRecord(results: ImportLineResult[], wanted: string, total: number): ImportLineResult[] {
  const ofKind = results.filter(({ status }) => status === wanted);
  return ofKind.slice(0, Math.max(0, MAX_RECORDED_FAILURES - (total - ofKind.length)));
}
