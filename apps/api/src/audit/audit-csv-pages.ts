import type { ScannedPage } from '@gatehouse/persistence';
import { csvPages } from '../http/exports/csv-pages.js';
import type { NamedAuditEntry } from './audit-search.service.js';

/**
 * Yields the entries as CSV page by page, starting with the column names. If there are more than `maxEntries`
 * entries, the last line states this.
 * @param read returns up to `limit` entries, newest first, and the id before which the next page starts
 */
export const auditCsvPages = (
  read: (before: string | null, limit: number) => Promise<ScannedPage<NamedAuditEntry>>,
  maxEntries: number,
): AsyncGenerator<string> =>
  csvPages(
    {
      columns,
      maxRows: maxEntries,
      truncationText: `Only the newest ${maxEntries.toLocaleString('en')} entries are in this file. Narrow the filters to export older entries.`,
    },
    read,
  );

const columns: Record<string, (entry: NamedAuditEntry) => string | null> = {
  createdAt: ({ createdAt }) => createdAt.toISOString(),
  action: ({ action }) => action,
  actorType: ({ actorType }) => actorType,
  actorId: ({ actorId }) => actorId,
  actorName: ({ actorName }) => actorName,
  targetType: ({ targetType }) => targetType,
  targetId: ({ targetId }) => targetId,
  targetName: ({ targetName }) => targetName,
  organizationId: ({ organizationId }) => organizationId,
  projectId: ({ projectId }) => projectId,
  ip: ({ ip }) => ip,
  userAgent: ({ userAgent }) => userAgent,
  requestId: ({ requestId }) => requestId,
  details: ({ details }) => JSON.stringify(details),
  id: ({ id }) => id,
};
