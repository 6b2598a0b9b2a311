// This file contains SQL: unions of tables, and index conditions on a prefix.
import type { PrefixedIdKind, Reach } from '@gatehouse/domain';
import { Conditions, organizationIdsSql, sampleReaches } from '../conditions.js';
import type { Database } from '../database.js';
import { dynamicStatement, nullable, text, textOf, uuid } from '../statements.js';
import { NIL_UUID } from '../uuid-v7.js';
import { batchWithin } from '../webhooks/redelivery-batches.repository.js';
import { endpointNameSql } from '../webhooks/endpoint-name-sql.js';
import { prefixCondition } from './prefix-conditions.js';
import { urlPrefixCondition } from './lookups.repository.js';

export const searchResultKinds = [
  'delivery',
  'attempt',
  'event',
  'endpoint',
  'batch',
  'customer',
  'project',
  'organization',
  'api_key',
] as const;
export type SearchResultKind = (typeof searchResultKinds)[number];

/** A search result, with the text that a list shows. */
export interface SearchResult {
  kind: SearchResultKind;
  id: string;
  title: string;
  subtitle: string;
  /** Null if the result belongs to no single project. */
  projectId: string | null;
}

/** The columns of each kind, with `t` as its table. */
const resultColumns: Record<
  SearchResultKind,
  { from: string; title: string; subtitle: string; projectId: string }
> = {
  delivery: {
    from: 'deliveries t',
    title: 't.event_type',
    subtitle: `t.state || ' · ' || t.target_url`,
    projectId: 't.project_id',
  },
  attempt: {
    from: 'attempts t',
    title: 't.event_type',
    subtitle: `coalesce(nullif(t.http_status, 0)::text, t.error, '') || ' · ' || t.target_url`,
    projectId: 't.project_id',
  },
  event: { from: 'events t', title: 't.type', subtitle: `''`, projectId: 't.project_id' },
  endpoint: {
    from: 'webhook_endpoints t',
    title: endpointNameSql('t'),
    subtitle: `t.status || ' · ' || t.url`,
    projectId: 't.project_id',
  },
  batch: {
    from: 'redelivery_batches t',
    title: 't.kind',
    subtitle: `concat_ws(' · ', t.state, t.reason)`,
    projectId: 't.project_id',
  },
  customer: {
    from: 'customers t',
    title: 't.email',
    subtitle: `concat_ws(' ', t.first_name, t.last_name)`,
    projectId: 't.project_id',
  },
  project: {
    from: 'projects t JOIN organizations o ON o.id = t.organization_id',
    title: 't.name',
    subtitle: `o.name || ' · ' || t.slug`,
    projectId: 't.id',
  },
  organization: { from: 'organizations t', title: 't.name', subtitle: 't.slug', projectId: 'NULL::uuid' },
  api_key: {
    from: 'api_keys t',
    title: 't.name',
    subtitle: `t.prefix || '…' || t.last4`,
    projectId: 't.project_id',
  },
};

const resultRow = {
  kind: textOf<SearchResultKind>(),
  id: uuid,
  title: text,
  subtitle: text,
  projectId: nullable(uuid),
};

/** Returns SQL for whether a result of a kind is within a reach. */
function kindWithin(where: Conditions, kind: SearchResultKind, reach: Reach): string {
  if (!reach.organizationIds) return 'true';
  if (kind === 'batch') return batchWithin(where, 't', reach);
  if (kind === 'organization') return `t.id IN (${organizationIdsSql(where.bind(reach.organizationIds))})`;
  if (kind === 'customer') return where.projectReachCondition('t.project_id', reach);
  return where.reachCondition('t', resultColumns[kind].projectId, reach);
}

/** Returns SQL for the results of a kind within the reach that meet a condition. */
function selectKind(where: Conditions, reach: Reach, kind: SearchResultKind, condition: string): string {
  const { from, title, subtitle, projectId } = resultColumns[kind];
  return `SELECT '${kind}' AS kind, t.id, ${title} AS title, ${subtitle} AS subtitle, ${projectId} AS "projectId"
    FROM ${from} WHERE ${condition} AND ${kindWithin(where, kind, reach)}`;
}

const findById = dynamicStatement(
  resultRow,
  (reach: Reach, kinds: readonly SearchResultKind[], id: string) => {
    const where = new Conditions();
    const isMatch = `t.id = ${where.bind(id)}`;
    const results = kinds.map((kind) => selectKind(where, reach, kind, isMatch));
    return { text: results.join(' UNION ALL '), values: where.values };
  },
  sampleReaches.map((reach) => [reach, searchResultKinds, NIL_UUID] as const),
  { isPrepared: true },
);

const findEndpointsByUrl = dynamicStatement(
  resultRow,
  (reach: Reach, prefix: string, limit: number) => {
    const where = new Conditions();
    const select = selectKind(where, reach, 'endpoint', urlPrefixCondition(where, prefix, 't'));
    return { text: `${select} LIMIT ${where.bind(limit)}`, values: where.values };
  },
  sampleReaches.map((reach) => [reach, 'https://', 1] as const),
);

const findByPrefix = dynamicStatement(
  resultRow,
  (reach: Reach, prefix: string, limit: number) => {
    const where = new Conditions();
    const name = `lower(${where.bind(prefix)}::text)`;
    // Only the first characters of a key are stored; a complete key is found by them.
    const keyPrefix = `${where.bind(prefix.slice(0, 8))}::text`;
    const limitSql = where.bind(limit);
    const select = (kind: SearchResultKind, column: string, start: string): string =>
      `(${selectKind(where, reach, kind, prefixCondition(column, start))} LIMIT ${limitSql})`;
    const results = [
      select('project', 'lower(t.name)', name),
      select('project', 't.slug', name),
      select('organization', 'lower(t.name)', name),
      select('organization', 't.slug', name),
      select('api_key', 't.prefix', keyPrefix),
    ];
    const sql = `SELECT DISTINCT * FROM (${results.join(' UNION ALL ')}) found ORDER BY title, id LIMIT ${limitSql}`;
    return { text: sql, values: where.values };
  },
  sampleReaches.map((reach) => [reach, 'name', 1] as const),
  { isPrepared: true },
);

/** Finds resources within a reach by id or prefix. Every part is a short index scan. */
export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** Returns the resources with an id. @param kind null for every kind */
  findById(reach: Reach, id: string, kind: PrefixedIdKind | null): Promise<SearchResult[]> {
    const resultKind = kind === 'redelivery' ? 'batch' : kind;
    return this.database.execute(findById(reach, resultKind ? [resultKind] : searchResultKinds, id));
  }

  /** Returns endpoints, including deleted ones, whose URL begins with a text. */
  findEndpointsByUrl(reach: Reach, prefix: string, limit: number): Promise<SearchResult[]> {
    return this.database.execute(findEndpointsByUrl(reach, prefix, limit));
  }

  /**
   * Returns projects and organizations whose name (case-insensitive) or slug begins with a text, and API keys
   * whose prefix does.
   */
  findByPrefix(reach: Reach, text: string, limit: number): Promise<SearchResult[]> {
    return this.database.execute(findByPrefix(reach, text, limit));
  }
}
