import { Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import { PropertyList } from '../components/property-list';
import { ProjectName } from '../components/record-name';
import { StatusBadge } from '../components/status-badge';
import type { ImportFile } from './import-file';
import type { ImportRun } from './use-import-run';

export type CustomerImport = Schemas['ImportDetailResponse'];

interface ImportProgressProps {
  /** Undefined before the server has received the first line. */
  customerImport: CustomerImport | undefined;
  /** The file on this page; null after a reload. */
  file: ImportFile | null;
  run: ImportRun;
}

/** Renders how far an import has come, with the button that cancels it. */
export function ImportProgress({ customerImport, file, run }: ImportProgressProps): ReactNode {
  const {
    state = 'running',
    lastLine = 0,
    created = 0,
    skipped = 0,
    failed = 0,
    weakHashes = 0,
  } = customerImport ?? {};
  const isComplete = state === 'completed';
  const shownState = !run.isSending && run.isCanceled && !isComplete ? 'cancelled' : state;
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
          {run.isSending && (
            <Button variant="default" onClick={run.cancel}>
              Cancel import
            </Button>
          )}
        </Group>
        {(file || isComplete) && (
          <Progress
            value={percent}
            aria-label={`${Math.floor(percent)}% processed`}
            animated={run.isSending}
          />
        )}
        {run.isSending && <Text c="dimmed">Keep this page open until the import is complete.</Text>}
        {shownState === 'cancelled' && (
          <Text>Imported customers are kept. You can continue with the same file.</Text>
        )}
        <PropertyList
          items={{
            Created: created.toLocaleString('en'),
            'Skipped, already registered': skipped.toLocaleString('en'),
            Failed: failed.toLocaleString('en'),
            ...(weakHashes > 0 && { 'Weak password hashes': weakHashes.toLocaleString('en') }),
            ...(customerImport && { Project: <ProjectName id={customerImport.projectId} link /> }),
          }}
        />
      </Stack>
    </Paper>
  );
}
