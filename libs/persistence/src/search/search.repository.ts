// Raw SQL: unions over several tables, and conditions that use text indexes.
import type { PrefixedIdKind, AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import { containsCondition, searchedText } from '../lists/contains-condition.js';
import { Conditions, organizationIdsSql, sampleAccessScopes } from '../sql/conditions.js';
import { dynamicStatement, nullable, text, textOf, uuid } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { endpointNameSql } from '../webhooks/endpoint-name-sql.js';
import { batchWithin } from '../webhooks/redelivery-batches.repository.js';
import { prefixCondition } from './prefix-condition.js';

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
  'operator',
] as const;
export type SearchResultKind = (typeof searchResultKinds)[number];

/** A search result with what a list displays. */
export interface SearchResult {
  kind: SearchResultKind;
  id: string;
  title: string;
  subtitle: string;
  /** Null if the result does not belong to a single project. */
  projectId: string | null;
}

/** Columns for each result kind. `t` is its table. */
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
    subtitle: `concat_ws(' · ', CASE WHEN t.revoked_at IS NOT NULL THEN 'revoked' END, t.prefix || '…' || t.last4)`,
    projectId: 't.project_id',
  },
  operator: {
    from: 'operators t',
    title: 't.email',
    subtitle: `concat_ws(' · ', t.name, t.role)`,
    projectId: 'NULL::uuid',
  },
};

const resultRow = {
  kind: textOf<SearchResultKind>(),
  id: uuid,
  title: text,
  subtitle: text,
  projectId: nullable(uuid),
};

/**
 * Returns the condition that a result with this kind is within an access scope. Operators belong to the whole
 * installation.
 */
function kindWithin(where: Conditions, kind: SearchResultKind, accessScope: AccessScope): string {
  if (!accessScope.organizationIds) return 'true';
  if (kind === 'operator') return 'false';
  if (kind === 'batch') return batchWithin(where, 't', accessScope);
  if (kind === 'organization')
    return `t.id IN (${organizationIdsSql(where.bind(accessScope.organizationIds))})`;
  if (kind === 'customer') return where.projectAccessScopeCondition('t.project_id', accessScope);
  return where.accessScopeCondition('t', resultColumns[kind].projectId, accessScope);
}

/** Returns SQL for a kind's results within the access scope that meet a condition. */
function selectKind(
  where: Conditions,
  accessScope: AccessScope,
  kind: SearchResultKind,
  condition: string,
): string {
  const { from, title, subtitle, projectId } = resultColumns[kind];
  return `SELECT '${kind}' AS kind, t.id, ${title} AS title, ${subtitle} AS subtitle, ${projectId} AS "projectId"
    FROM ${from} WHERE ${condition} AND ${kindWithin(where, kind, accessScope)}`;
}

const findById = dynamicStatement(
  resultRow,
  (accessScope: AccessScope, kinds: readonly SearchResultKind[], id: string) => {
    const where = new Conditions();
    const isMatch = `t.id = ${where.bind(id)}`;
    const results = kinds.map((kind) => selectKind(where, accessScope, kind, isMatch));
    return { text: results.join(' UNION ALL '), values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, searchResultKinds, NIL_UUID] as const),
  { isPrepared: true },
);

const findByText = dynamicStatement(
  resultRow,
  (accessScope: AccessScope, input: string, limit: number) => {
    const where = new Conditions();
    const start = `lower(${where.bind(input)}::text)`;
    // Only a key's first characters are stored, so a complete key is found by them.
    const keyStart = `${where.bind(input.slice(0, 8))}::text`;
    const limitSql = where.bind(limit);
    const select = (kind: SearchResultKind, condition: string, orderBy: string): string =>
      `(${selectKind(where, accessScope, kind, condition)} ORDER BY ${orderBy} LIMIT ${limitSql})`;
    // In byte order, a value equal to the prefix comes first.
    const selectByPrefix = (kind: SearchResultKind, column: string, prefix: string): string =>
      select(kind, prefixCondition(column, prefix), `(${column} COLLATE "C")`);
    const selectBySubstring = (kind: SearchResultKind, searched: string): string =>
      select(kind, containsCondition(where, searched, input), 't.id DESC');
    const results = [
      selectByPrefix('project', 'lower(t.name)', start),
      selectByPrefix('project', 't.slug', start),
      selectBySubstring('project', searchedText.project('t')),
      selectByPrefix('organization', 'lower(t.name)', start),
      selectByPrefix('organization', 't.slug', start),
      selectBySubstring('organization', searchedText.organization('t')),
      selectByPrefix('api_key', 't.prefix', keyStart),
      selectBySubstring('api_key', searchedText.apiKey('t')),
      selectBySubstring('endpoint', searchedText.endpoint('t')),
      selectBySubstring('operator', searchedText.operator('t')),
    ];
    return { text: results.join(' UNION '), values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, 'shop', 1] as const),
);

/** Finds resources within an access scope by id or by text. */
export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** Returns the resources with this id. @param kind kind to search, or null for all kinds */
  findById(accessScope: AccessScope, id: string, kind: PrefixedIdKind | null): Promise<SearchResult[]> {
    const resultKind = kind === 'redelivery' ? 'batch' : kind;
    return this.database.execute(findById(accessScope, resultKind ? [resultKind] : searchResultKinds, id));
  }

  /**
   * Returns projects, organizations, API keys, endpoints and operators, including revoked and deleted ones, whose
   * name, slug, URL or email contains the input or whose key starts with it. Returns up to `limit` matches per field,
   * unsorted.
   */
  findByText(accessScope: AccessScope, input: string, limit: number): Promise<SearchResult[]> {
    return this.database.execute(findByText(accessScope, input, limit));
  }
}
