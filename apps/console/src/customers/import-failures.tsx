import { Anchor, Button, Group, Paper, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../http/client';
import type { Problem } from '../http/problem';
import { fetchPath, useApiMutation } from '../http/queries';
import { downloadText } from '../components/download';
import { Icon } from '../components/icon';
import { ProblemAlert } from '../components/problem-alert';
import { Badge } from '../components/status-badge';
import { toastError } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { formatCsv } from './format-csv';
import type { ImportFile } from './import-file';
import type { CustomerImport } from './import-progress';
import { IMPORT_PATH } from './use-import-run';

type Failure = Schemas['ImportFailureResponse'];

interface ImportFailuresProps {
  customerImport: CustomerImport;
  /** The file on this page; null after a reload. */
  file: ImportFile | null;
}

async function fetchPage(
  importId: string,
  cursor: string | null,
  limit: number,
): Promise<CustomerImport['failures']> {
  const query = { limit, ...(cursor && { cursor }) };
  return ((await fetchPath(IMPORT_PATH, { path: { importId }, query })) as CustomerImport).failures;
}

/** Returns all recorded failures: at most 20,000. */
async function fetchAll(importId: string): Promise<Failure[]> {
  const failures: Failure[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await fetchPage(importId, cursor, 200);
    failures.push(...page.data);
    if (!page.nextCursor) return failures;
    cursor = page.nextCursor;
  }
}

/** Lists the lines for which no customer was created, page by page, and downloads all of them. */
export function ImportFailures({ customerImport, file }: ImportFailuresProps): ReactNode {
  const { id, skipped, failed } = customerImport;
  const { lineName, offset } = file ?? { lineName: 'Line', offset: 0 };
  const query = useInfiniteQuery<CustomerImport['failures'], Problem>({
    // The counts load the list again while the import continues.
    queryKey: [IMPORT_PATH, 'failures', id, skipped + failed],
    queryFn: ({ pageParam }) => fetchPage(id, pageParam as string | null, 50),
    initialPageParam: null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: (last) => last,
  });
  const download = useApiMutation(async () => {
    const rows = (await fetchAll(id)).flatMap(({ line, status, id: customerId, errors }) =>
      (errors.length > 0 ? errors : [{ field: '', code: '', message: '' }]).map(
        ({ field, code, message }) => [line + offset, status, customerId, ...[field, code, message]],
      ),
    );
    downloadText(
      'import-errors.csv',
      formatCsv([[lineName.toLowerCase(), 'status', 'customerId', 'field', 'code', 'message'], ...rows]),
    );
  });
  const rows = query.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Paper component="section" aria-label="Not imported">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Not imported</Title>
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="download" size={14} />}
          loading={download.isPending}
          onClick={() => download.mutate(undefined, { onError: toastError })}
        >
          Download CSV
        </Button>
      </Group>
      {query.error && <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />}
      <Table fz="sm" aria-label="Not imported">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{lineName}</Table.Th>
            <Table.Th>Result</Table.Th>
            <Table.Th>Reason</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((failure) => (
            <Table.Tr key={failure.line}>
              <Table.Td>{(failure.line + offset).toLocaleString('en')}</Table.Td>
              <Table.Td>
                {failure.status === 'skipped' ? (
                  <Badge tone="warn">Skipped</Badge>
                ) : (
                  <Badge tone="bad">Failed</Badge>
                )}
              </Table.Td>
              <Table.Td>
                <Reason failure={failure} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {query.hasNextPage && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Load more
          </Button>
        </Group>
      )}
    </Paper>
  );
}

function Reason({ failure: { id, errors } }: { failure: Failure }): ReactNode {
  return (
    <>
      {errors.map(({ field, message }) => (
        <Text key={`${field} ${message}`} size="sm">
          <UntrustedText text={message} />
        </Text>
      ))}
      {id && (
        <Anchor component={Link} to={`/customers/${id}`} size="sm">
          View the registered customer
        </Anchor>
      )}
    </>
  );
}
