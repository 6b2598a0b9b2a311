import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { PropertyList } from '../components/property-list';
import { ProjectName } from '../components/record-name';
import type { ImportFile } from './import-file';
import type { Failure } from './import-report';

/**
 * An import, or the result of a dry run. A server on the previous version does not return `updated`, `unchanged` and
 * `incomplete`.
 */
export type CustomerImport = Omit<Schemas['ImportDetailResponse'], 'failures'> & {
  updated?: number;
  unchanged?: number;
  incomplete?: number;
  failures: Omit<Schemas['ImportFailuresResponse'], 'data'> & { data: Failure[] };
};

interface ImportCountsProps {
  /** Undefined before the server has received the first line. */
  customerImport: CustomerImport | undefined;
  /** The selected file; null after a reload. */
  file: ImportFile | null;
}

/** Renders the numbers of customers that were created, updated, skipped and not imported. */
export function ImportCounts({ customerImport, file }: ImportCountsProps): ReactNode {
  const { dryRun = false, created = 0, skipped = 0, failed = 0 } = customerImport ?? {};
  const { updated = 0, unchanged = 0, incomplete = 0, weakHashes = 0 } = customerImport ?? {};
  const notSent = file?.report.notSent ?? 0;
  const optional = {
    [dryRun ? 'Would be updated' : 'Updated']: updated,
    'Skipped, already up to date': unchanged,
    'Imported without some values': incomplete,
    'Not sent, because the row is invalid': notSent,
    'Weak password hashes': weakHashes,
  };
  return (
    <PropertyList
      items={{
        [dryRun ? 'Would be created' : 'Created']: created.toLocaleString('en'),
        Skipped: (skipped - unchanged).toLocaleString('en'),
        Failed: failed.toLocaleString('en'),
        ...Object.fromEntries(
          Object.entries(optional)
            .filter(([, count]) => count > 0)
            .map(([name, count]) => [name, count.toLocaleString('en')]),
        ),
        ...(customerImport && { Project: <ProjectName id={customerImport.projectId} link /> }),
      }}
    />
  );
}
