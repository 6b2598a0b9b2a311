import { Anchor, Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { Problem } from '../http/problem';
import { fetchPath } from '../http/queries';
import { downloadText } from '../components/download';
import { Icon } from '../components/icon';
import { ProblemAlert } from '../components/problem-alert';
import { Badge, type Tone } from '../components/status-badge';
import { UntrustedText } from '../components/untrusted-text';
import type { CustomerImport } from './import-counts';
import type { ImportFile } from './import-file';
import {
  countReasons,
  formatReport,
  toEntries,
  type Failure,
  type ReportCount,
  type ReportEntry,
  type ReportResult,
} from './import-report';
import { IMPORT_PATH } from './use-import-run';

const PAGE = 50;

const results: Record<ReportResult, [label: string, tone: Tone]> = {
  left_out: ['Left out', 'warn'],
  not_sent: ['Not sent', 'bad'],
  skipped: ['Skipped', 'warn'],
  failed: ['Failed', 'bad'],
};

/** Returns all lines that the import has recorded, at most 40,000. */
async function fetchFailures(importId: string, signal: AbortSignal): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (let cursor: string | null = null; ;) {
    const query = { limit: 200, ...(cursor && { cursor }) };
    const page = (await fetchPath(IMPORT_PATH, { path: { importId }, query }, signal)) as CustomerImport;
    failures.push(...page.failures.data);
    if (!page.failures.nextCursor) return failures;
    cursor = page.failures.nextCursor;
  }
}

interface ImportReportProps {
  /** An import that is not running, or a check's result; null before the file is sent. */
  customerImport: CustomerImport | null;
  /** The selected file; null after a reload. */
  file: ImportFile | null;
}

/** Lists the lines and values that were not imported, with the reasons, their counts and the remedies. */
export function ImportReport({ customerImport, file }: ImportReportProps): ReactNode {
  const { id = '', dryRun = false, lastLine = 0 } = customerImport ?? {};
  const query = useQuery<Failure[], Problem>({
    queryKey: [IMPORT_PATH, 'report', id, lastLine],
    queryFn: ({ signal }) => fetchFailures(id, signal),
    enabled: customerImport !== null && !dryRun,
  });
  const failures = dryRun ? customerImport!.failures.data : (query.data ?? []);
  const find = file?.find ?? ((line: number) => ({ position: line, email: null }));
  const sent = failures.flatMap((failure) => toEntries(failure, find));
  const entries = [...(file?.report.entries ?? []), ...sent].sort(
    (one, other) => one.position - other.position,
  );
  const counts = countReasons(sent, file?.report.counts);
  if (query.error) return <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />;
  if (entries.length === 0) return null;
  const { skipped = 0, failed = 0, incomplete = 0 } = customerImport ?? {};
  const isPartial = (dryRun || query.data !== undefined) && skipped + failed + incomplete > failures.length;
  return (
    <ReportLists
      lineName={file?.lineName ?? 'Line'}
      counts={counts}
      entries={entries}
      note={
        isPartial
          ? `At most ${dryRun ? '1,000' : '10,000'} lines are listed for each result: skipped, failed, and imported without some values.`
          : null
      }
    />
  );
}

interface ReportListsProps {
  lineName: string;
  counts: ReportCount[];
  entries: ReportEntry[];
  note: string | null;
}

function ReportLists({ lineName, counts, entries, note }: ReportListsProps): ReactNode {
  const [shown, setShown] = useState(PAGE);
  const download = (): void => downloadText('import-report.csv', formatReport(lineName, entries));
  return (
    <Paper component="section" aria-label="Report">
      <Stack>
        <Group justify="space-between">
          <Title order={2}>Not imported</Title>
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="download" size={14} />}
            onClick={download}
          >
            Download CSV
          </Button>
        </Group>
        {note && <Text c="dimmed">{note}</Text>}
        <ReasonTable counts={counts} />
        <LineTable lineName={lineName} entries={entries.slice(0, shown)} />
        {entries.length > shown && (
          <Group justify="center">
            <Button variant="default" onClick={() => setShown(shown + PAGE)}>
              Load more
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

function ReasonTable({ counts }: { counts: ReportCount[] }): ReactNode {
  return (
    <Table fz="sm" aria-label="Reasons">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Result</Table.Th>
          <Table.Th ta="right">Count</Table.Th>
          <Table.Th>Reason and what to do</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {counts.map((each) => (
          <Table.Tr key={`${each.result} ${each.field} ${each.reason}`}>
            <Table.Td>
              <ResultBadge result={each.result} />
            </Table.Td>
            <Table.Td ta="right">{each.count.toLocaleString('en')}</Table.Td>
            <Table.Td>
              <ReasonText entry={each} />
              <Text size="xs" c="dimmed">
                {each.remedy}
              </Text>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function LineTable({ lineName, entries }: { lineName: string; entries: ReportEntry[] }): ReactNode {
  return (
    <Table fz="sm" aria-label="Not imported">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{lineName}</Table.Th>
          <Table.Th>Result</Table.Th>
          <Table.Th>Reason</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {entries.map((entry) => (
          <Table.Tr key={`${entry.position} ${entry.result} ${entry.field} ${entry.reason}`}>
            <Table.Td>{entry.position.toLocaleString('en')}</Table.Td>
            <Table.Td>
              <ResultBadge result={entry.result} />
            </Table.Td>
            <Table.Td>
              <ReasonText entry={entry} />
              {entry.email !== null && (
                <Text size="xs" c="dimmed">
                  <UntrustedText text={entry.email} />
                </Text>
              )}
              {entry.customerId !== null && (
                <Anchor component={Link} to={`/customers/${entry.customerId}`} size="sm">
                  {entry.result === 'skipped' ? 'View the registered customer' : 'View the customer'}
                </Anchor>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function ResultBadge({ result }: { result: ReportResult }): ReactNode {
  const [label, tone] = results[result];
  return <Badge tone={tone}>{label}</Badge>;
}

/** Renders a reason after its field. Messages from the server begin with the field. */
function ReasonText({ entry: { field, reason } }: { entry: { field: string; reason: string } }): ReactNode {
  const text = field === '' || reason.startsWith(field) ? reason : `${field}: ${reason}`;
  return (
    <Text size="sm">
      <UntrustedText text={text} />
    </Text>
  );
}
