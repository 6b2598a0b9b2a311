import { Alert, Button, Checkbox, Group, Paper, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Can } from '../app/roles';
import { toProblem } from '../http/problem';
import { useGet } from '../http/queries';
import { Icon } from '../components/icon';
import { Page } from '../components/page';
import { ProblemAlert } from '../components/problem-alert';
import { ProjectSelect } from '../components/record-select';
import { UntrustedText } from '../components/untrusted-text';
import { FileDrop } from './file-drop';
import { readImportFile, type ImportFile } from './import-file';
import { ImportFailures } from './import-failures';
import { ImportProgress, type CustomerImport } from './import-progress';
import { IMPORT_PATH, useImportRun } from './use-import-run';

const POLL_MS = 1_000;

/** Imports customers from a file. The URL contains the ID of the import, so that a reload shows its progress. */
export function ImportCustomersScreen(): ReactNode {
  const [search, setSearch] = useSearchParams();
  const importId = search.get('id') ?? '';
  const [file, setFile] = useState<ImportFile | null>(null);
  const [projectId, setProjectId] = useState('');
  const [emitsEvents, setEmitsEvents] = useState(false);
  const run = useImportRun();
  const query = useGet(
    IMPORT_PATH,
    { path: { importId } },
    {
      enabled: importId !== '',
      refetchInterval: (found) => (run.isSending || found?.state === 'running' ? POLL_MS : false),
    },
  );
  const customerImport = importId === '' ? undefined : query.data;
  const isComplete = customerImport?.state === 'completed';
  const start = (): void => {
    const id = importId || crypto.randomUUID();
    setSearch({ id }, { replace: true });
    run.send({ importId: id, projectId: customerImport?.projectId ?? projectId, emitsEvents, file: file! });
  };
  const reset = (): void => {
    setSearch({});
    setFile(null);
  };
  const isUnknown = query.error?.status === 404 && !run.isSending;
  return (
    <Page
      title="Import customers"
      description="Creates customers from a file. Customers whose email address is already registered stay unchanged."
      back={{ to: '/customers', label: 'Customers' }}
      actions={
        isComplete && (
          <Button variant="default" onClick={reset}>
            Import another file
          </Button>
        )
      }
    >
      <Can role="admin" fallback={<Text>Only admins can import customers.</Text>}>
        <Stack>
          {run.error && <ProblemAlert error={run.error} />}
          {query.error && query.error.status !== 404 && (
            <ProblemAlert error={query.error} onRetry={() => void query.refetch()} />
          )}
          {(customerImport || run.isSending) && (
            <ImportProgress customerImport={customerImport} file={file} run={run} />
          )}
          {!isComplete && !run.isSending && (
            <Paper component="section" aria-label="File">
              <Stack>
                {importId !== '' && !isUnknown && (
                  <Text>To continue an interrupted import, select the same file and start again.</Text>
                )}
                {!customerImport && (
                  <ProjectSelect
                    showLabel
                    required
                    placeholder="Select a project"
                    value={projectId}
                    onChange={setProjectId}
                    error={run.error?.fields.projectId}
                  />
                )}
                <FileChoice file={file} onChange={setFile} />
                <Checkbox
                  label="Emit a customer.created event for each customer"
                  description="Endpoints that subscribe to it receive one webhook per customer."
                  checked={emitsEvents}
                  onChange={(event) => setEmitsEvents(event.currentTarget.checked)}
                />
                <Group>
                  <Button disabled={!file || !(customerImport?.projectId ?? projectId)} onClick={start}>
                    {customerImport ? 'Continue import' : 'Start import'}
                  </Button>
                </Group>
              </Stack>
            </Paper>
          )}
          {customerImport && hasFailures(customerImport) && (
            <ImportFailures customerImport={customerImport} file={file} />
          )}
        </Stack>
      </Can>
    </Page>
  );
}

const hasFailures = ({ skipped, failed }: CustomerImport): boolean => skipped + failed > 0;

interface FileChoiceProps {
  file: ImportFile | null;
  onChange: (file: ImportFile | null) => void;
}

/** Renders the choice of a file. A file that cannot be imported is rejected before anything is sent. */
function FileChoice({ file, onChange }: FileChoiceProps): ReactNode {
  const [error, setError] = useState<string | null>(null);
  const read = async (selected: File): Promise<void> => {
    try {
      onChange(await readImportFile(selected));
      setError(null);
    } catch (caught) {
      onChange(null);
      setError(caught instanceof Error ? caught.message : toProblem(caught).detail);
    }
  };
  return (
    <>
      <FileDrop accept=".ndjson,.jsonl,.csv,.json" onSelect={(selected) => void read(selected)}>
        {file ? (
          <Text fw={600}>
            <UntrustedText text={file.name} />, {file.lines.toLocaleString('en')}{' '}
            {file.lines === 1 ? 'customer' : 'customers'}
          </Text>
        ) : (
          <Text size="sm" c="dimmed">
            NDJSON of any size, or CSV or JSON up to 50 MB. The first row of a CSV file contains the names of
            the fields, such as email, firstName and metadata.
          </Text>
        )}
      </FileDrop>
      {error && (
        <Alert
          role="alert"
          color="red"
          icon={<Icon name="alert" size={20} />}
          title="This file cannot be imported"
        >
          <UntrustedText text={error} />
        </Alert>
      )}
    </>
  );
}
