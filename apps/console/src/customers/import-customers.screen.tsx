import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { Can } from '../session/roles';
import { useGet } from '../http/queries';
import { Page } from '../components/page';
import { ProblemAlert } from '../components/problem-alert';
import { ProjectSelect } from '../components/record-select';
import { FileChoice } from './file-choice';
import type { CustomerImport } from './import-counts';
import type { ImportFile } from './import-file';
import { ImportOptionChoices } from './import-option-choices';
import { readOptions, toSearch, type ImportOptions } from './import-options';
import { ImportCheck, ImportProgress } from './import-progress';
import { ImportReport } from './import-report-lists';
import { PortableHashesChoice } from './portable-hashes-choice';
import { IMPORT_PATH, useImportRun, type ImportRun } from './use-import-run';

const POLL_MS = 1_000;

/**
 * The screen that imports customers from a file. The URL contains the import's ID, so that a reload shows its progress.
 */
export function ImportCustomersScreen(): ReactNode {
  const [search, setSearch] = useSearchParams();
  const importId = search.get('id') ?? '';
  const [file, setFile] = useState<ImportFile | null>(null);
  const run = useImportRun();
  const isImporting = run.sending === 'import';
  const query = useGet(
    IMPORT_PATH,
    { path: { importId } },
    {
      enabled: importId !== '',
      refetchInterval: (found) => (isImporting || found?.state === 'running' ? POLL_MS : false),
    },
  );
  const customerImport: CustomerImport | undefined = importId === '' ? undefined : query.data;
  const isComplete = customerImport?.state === 'completed';
  const selectFile = (selected: ImportFile | null): void => {
    run.reset();
    setFile(selected);
  };
  const restart = (): void => {
    setSearch({});
    selectFile(null);
  };
  return (
    <Page
      title="Import customers"
      description="Creates customers from a file. Customers whose email address is already registered stay unchanged unless you choose to update them."
      back={{ to: '/customers', label: 'Customers' }}
      actions={
        isComplete && (
          <Button variant="default" onClick={restart}>
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
          {(customerImport || isImporting) && (
            <ImportProgress customerImport={customerImport} file={file} run={run} />
          )}
          {!isComplete && !isImporting && (
            <ImportForm
              customerImport={customerImport}
              initialOptions={readOptions(search)}
              isInterrupted={importId !== '' && query.error?.status !== 404}
              file={file}
              run={run}
              onFile={selectFile}
              onStart={(start) => {
                const id = importId || crypto.randomUUID();
                setSearch(toSearch(id, start.options), { replace: true });
                run.send({ importId: id, ...start });
              }}
            />
          )}
          {file && !isComplete && (run.sending === 'check' || run.checked) && (
            <ImportCheck file={file} run={run} />
          )}
          {run.sending === null && <Report customerImport={customerImport} file={file} run={run} />}
        </Stack>
      </Can>
    </Page>
  );
}

interface ReportProps {
  customerImport: CustomerImport | undefined;
  file: ImportFile | null;
  run: ImportRun;
}

/** Renders the report of the check, or of the import once it has ended. */
function Report({ customerImport, file, run }: ReportProps): ReactNode {
  const result = run.checked ?? customerImport ?? null;
  if (result?.state === 'running') return null;
  return <ImportReport key={`${result?.id} ${file?.name}`} customerImport={result} file={file} />;
}

interface Start {
  projectId: string;
  options: ImportOptions;
  file: ImportFile;
}

interface ImportFormProps extends ReportProps {
  initialOptions: ImportOptions;
  /** True if the import was interrupted and can be continued. */
  isInterrupted: boolean;
  onFile: (file: ImportFile | null) => void;
  onStart: (start: Start) => void;
}

/** Renders the inputs for the project and the file, with the buttons that check and import the file. */
function ImportForm({
  customerImport,
  initialOptions,
  isInterrupted,
  file,
  run,
  onFile,
  onStart,
}: ImportFormProps): ReactNode {
  const [selectedId, setSelectedId] = useState('');
  const [options, setOptions] = useState(initialOptions);
  const projectId = customerImport?.projectId ?? selectedId;
  const isReady = file !== null && file.lines > 0 && projectId !== '' && run.sending === null;
  const isChecked = run.checked !== null || customerImport !== undefined;
  return (
    <Paper component="section" aria-label="File">
      <Stack>
        {isInterrupted && (
          <Text>To continue an interrupted import, select the same file and start again.</Text>
        )}
        {!customerImport && (
          <ProjectSelect
            showLabel
            required
            placeholder="Select a project"
            value={selectedId}
            onChange={(id) => {
              run.reset();
              setSelectedId(id);
            }}
            error={run.error?.fields.projectId}
          />
        )}
        <FileChoice file={file} onChange={onFile} />
        <PortableHashesChoice projectId={projectId} />
        <ImportOptionChoices
          options={options}
          onChange={(changed) => {
            // A check's result depends on the options.
            run.reset();
            setOptions(changed);
          }}
        />
        <Group>
          {!customerImport && (
            <Button
              variant={isChecked ? 'default' : 'filled'}
              disabled={!isReady}
              onClick={() => run.check({ projectId, options, file: file! })}
            >
              Check file
            </Button>
          )}
          <Button
            variant={isChecked ? 'filled' : 'default'}
            disabled={!isReady}
            onClick={() => onStart({ projectId, options, file: file! })}
          >
            {customerImport ? 'Continue import' : 'Start import'}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
