import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { StatusBadge } from '../components/status-badge';
import { ImportCounts, type CustomerImport } from './import-counts';
import type { ImportFile } from './import-file';
import type { ImportRun } from './use-import-run';

interface ImportProgressProps {
  /** Undefined before the server has received the first line. */
  customerImport: CustomerImport | undefined;
  /** The selected file; null after a reload. */
  file: ImportFile | null;
  run: ImportRun;
}

/** Renders an import's progress, with the button that cancels it. */
export function ImportProgress({ customerImport, file, run }: ImportProgressProps): ReactNode {
  const { state = 'running', lastLine = 0 } = customerImport ?? {};
  const isSending = run.sending === 'import';
  const isComplete = state === 'completed';
  const shownState = !isSending && run.isCanceled && !isComplete ? 'cancelled' : state;
  const percent = isComplete ? 100 : file ? Math.min(100, (lastLine / Math.max(1, file.lines)) * 100) : 0;
  return (
    <Paper component="section" aria-label="Progress">
      <Stack>
        <Group justify="space-between">
          <Group gap="xs">
            <StatusBadge state={shownState} />
            <Text aria-live="polite">
              {lastLine.toLocaleString('en')}
              {file && ` of ${file.lines.toLocaleString('en')}`} processed
            </Text>
          </Group>
          {isSending && (
            <Button variant="default" onClick={run.cancel}>
              Cancel import
            </Button>
          )}
        </Group>
        {(file || isComplete) && (
          <Progress value={percent} aria-label={`${Math.floor(percent)}% processed`} animated={isSending} />
        )}
        {isSending && <Text c="dimmed">Keep this page open until the import is complete.</Text>}
        {shownState === 'cancelled' && (
          <Text>Imported customers are kept. You can continue with the same file.</Text>
        )}
        <ImportCounts customerImport={customerImport} file={file} />
      </Stack>
    </Paper>
  );
}

interface ImportCheckProps {
  file: ImportFile;
  run: ImportRun;
}

/** Renders the result of checking a file, or a note that the check is running. */
export function ImportCheck({ file, run }: ImportCheckProps): ReactNode {
  const isComplete = run.checked !== null;
  return (
    <Paper component="section" aria-label="Check">
      <Stack>
        <Group justify="space-between">
          <Group gap="xs">
            <StatusBadge state={isComplete ? 'checked' : 'running'} />
            <Text aria-live="polite">
              {isComplete
                ? 'Nothing was imported'
                : `${file.lines.toLocaleString('en')} customers are being checked`}
            </Text>
          </Group>
          {!isComplete && (
            <Button variant="default" onClick={run.cancel}>
              Cancel check
            </Button>
          )}
        </Group>
        {!isComplete && <Progress value={100} aria-label="Checking" animated />}
        {run.checked && <ImportCounts customerImport={run.checked} file={file} />}
      </Stack>
    </Paper>
  );
}
