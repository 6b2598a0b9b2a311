// This file contains SQL: unions of tables, and index conditions on a prefix.
import type { PrefixedIdKind } from '@gatehouse/domain';
import { Conditions } from '../conditions.js';
import type { Database } from '../database.js';
import { dynamicStatement, nullable, statement, text, textOf, uuid } from '../statements.js';
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

/** Returns SQL for the results of a kind that meet a condition. */
function selectKind(kind: SearchResultKind, condition: string): string {
  const { from, title, subtitle, projectId } = resultColumns[kind];
  return `SELECT '${kind}' AS kind, t.id, ${title} AS title, ${subtitle} AS subtitle, ${projectId} AS "projectId"
    FROM ${from} WHERE ${condition}`;
}

const selectById = (kind: SearchResultKind): string => selectKind(kind, 't.id = $1');

const findInAllKinds = statement(resultRow, searchResultKinds.map(selectById).join(' UNION ALL '));

const findInKind: Record<PrefixedIdKind, typeof findInAllKinds> = {
  delivery: statement(resultRow, selectById('delivery')),
  attempt: statement(resultRow, selectById('attempt')),
  event: statement(resultRow, selectById('event')),
  endpoint: statement(resultRow, selectById('endpoint')),
  redelivery: statement(resultRow, selectById('batch')),
};

const findEndpointsByUrl = dynamicStatement(
  resultRow,
  (prefix: string, limit: number) => {
    const where = new Conditions();
    const select = selectKind('endpoint', urlPrefixCondition(where, prefix, 't'));
    return { text: `${select} LIMIT ${where.bind(limit)}`, values: where.values };
  },
  [['https://', 1]],
);

const selectByPrefix = (kind: SearchResultKind, column: string, prefix: string): string =>
  `(${selectKind(kind, prefixCondition(column, prefix))} LIMIT $3)`;

const resultsByPrefix = [
  selectByPrefix('project', 'lower(t.name)', 'lower($1::text)'),
  selectByPrefix('project', 't.slug', 'lower($1::text)'),
  selectByPrefix('organization', 'lower(t.name)', 'lower($1::text)'),
  selectByPrefix('organization', 't.slug', 'lower($1::text)'),
  selectByPrefix('api_key', 't.prefix', '$2::text'),
];

const findByPrefix = statement(
  resultRow,
  `SELECT DISTINCT * FROM (${resultsByPrefix.join(' UNION ALL ')}) found ORDER BY title, id LIMIT $3`,
);

/** Finds resources of the complete installation by id or prefix. Every part is a short index scan. */
export class SearchRepository {
  constructor(private readonly database: Database) {}

  /** Returns the resources with an id. @param kind null for every kind */
  findById(id: string, kind: PrefixedIdKind | null): Promise<SearchResult[]> {
    return this.database.execute(kind ? findInKind[kind] : findInAllKinds, [id]);
  }

  /** Returns endpoints, including deleted ones, whose URL begins with a text. */
  findEndpointsByUrl(prefix: string, limit: number): Promise<SearchResult[]> {
    return this.database.execute(findEndpointsByUrl(prefix, limit));
  }

  /**
   * Returns projects and organizations whose name (case-insensitive) or slug begins with a text, and API keys
   * whose prefix does.
   */
  findByPrefix(text: string, limit: number): Promise<SearchResult[]> {
    // Only the first characters of a key are stored; a complete key is found by them.
    return this.database.execute(findByPrefix, [text, text.slice(0, 8), limit]);
  }
}
