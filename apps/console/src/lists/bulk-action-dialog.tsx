import { Button, Group, Modal, Progress, Stack, Table, Text } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { runAll, type RunResult } from './run-all';

/** The result of an action on several records. */
export type BulkResult<Item> = Omit<RunResult<Item>, 'interruption'>;

interface BulkActionDialogProps<Item> {
  /** The records; an empty array keeps the dialog closed. */
  items: Item[];
  /** Returns the dialog's question: "Discard 5 dead letters?" */
  title: (count: number) => string;
  /** Returns the verb on the button: "Discard 5". */
  confirmLabel: (count: number) => string;
  /** Returns the report's title: "Discarded 3 of 5". */
  reportTitle: (done: number, count: number) => string;
  danger?: boolean;
  requiresReason: 'required' | 'optional';
  /** Description of the effects. */
  children: (count: number) => ReactNode;
  /** Performs the action on one record. */
  perform: (item: Item, reason: string) => Promise<unknown>;
  /** Renders a record in the report. */
  renderItem: (item: Item) => ReactNode;
  /** Path prefixes of the data to reload. */
  invalidatedPaths: string[];
  onClose: () => void;
  /** Called if the action was performed on at least one record. The other records should stay selected. */
  onDone: (result: BulkResult<Item>) => void;
}

/**
 * Renders a dialog that performs an action on each record with a separate request, because each is a separate entry in
 * the audit log. It shows the progress, and afterwards the records for which the action was rejected. "Stop" skips the
 * remaining records. If an error ends the run, the dialog shows it and stays open, and the next run continues with the
 * remaining records.
 */
export function BulkActionDialog<Item extends { id: string } | string>(
  props: BulkActionDialogProps<Item>,
): ReactNode {
  const { onClose, onDone, perform } = props;
  const done = useRef<Item[]>([]);
  const isInterrupted = useRef(false);
  const controller = useRef(new AbortController());
  const [finished, setFinished] = useState(0);
  const [report, setReport] = useState<BulkResult<Item> | null>(null);
  // Retains the records while the closing dialog fades out.
  const lastItems = useRef(props.items);
  if (props.items.length > 0) lastItems.current = props.items;
  const items = lastItems.current;
  const count = items.length;
  const run = useApiMutation(
    async (reason: string): Promise<BulkResult<Item>> => {
      controller.current = new AbortController();
      isInterrupted.current = true;
      const earlier = done.current;
      const { interruption, ...result } = await runAll(
        items.filter((item) => !earlier.includes(item)),
        (item) => perform(item, reason),
        (number) => setFinished(earlier.length + number),
        controller.current.signal,
      );
      done.current = [...earlier, ...result.done];
      const error = interruption ?? (count === 1 ? result.rejected[0]?.problem : null);
      if (error) throw error;
      isInterrupted.current = false;
      return { ...result, done: done.current };
    },
    ...props.invalidatedPaths,
  );
  const close = (): void => {
    if (isInterrupted.current && done.current.length > 0)
      onDone({
        done: done.current,
        rejected: [],
        unsent: items.filter((item) => !done.current.includes(item)),
      });
    done.current = [];
    isInterrupted.current = false;
    setFinished(0);
    run.reset();
    onClose();
  };
  return (
    <>
      <ActionDialog
        open={props.items.length > 0}
        onClose={close}
        title={props.title(count)}
        confirmLabel={props.confirmLabel(count)}
        danger={props.danger}
        requiresReason={props.requiresReason}
        onConfirm={async (reason) => {
          const result = await run.mutateAsync(reason);
          if (result.done.length < count) setReport(result);
          if (result.done.length > 0) onDone(result);
        }}
      >
        {props.children(count)}
        {count > 1 && (run.isPending || run.isError) && (
          <BulkProgress
            finished={finished}
            count={count}
            onStop={run.isPending ? () => controller.current.abort() : undefined}
          />
        )}
      </ActionDialog>
      <BulkReport
        title={report && props.reportTitle(report.done.length, report.done.length + countUnchanged(report))}
        result={report}
        renderItem={props.renderItem}
        onClose={() => setReport(null)}
      />
    </>
  );
}

const countUnchanged = ({ rejected, unsent }: BulkResult<unknown>): number => rejected.length + unsent.length;

interface BulkProgressProps {
  finished: number;
  count: number;
  /** Undefined if nothing is running. */
  onStop?: () => void;
}

function BulkProgress({ finished, count, onStop }: BulkProgressProps): ReactNode {
  return (
    <Group wrap="nowrap">
      <Progress flex={1} value={(100 * finished) / count} aria-label="Progress" />
      <Text size="sm" aria-live="polite">
        {finished} of {count}
      </Text>
      {onStop && (
        <Button size="xs" variant="default" onClick={onStop}>
          Stop
        </Button>
      )}
    </Group>
  );
}

interface BulkReportProps<Item> {
  title: string | null;
  /** null keeps the dialog closed. */
  result: BulkResult<Item> | null;
  renderItem: (item: Item) => ReactNode;
  onClose: () => void;
}

/** Lists the records that are unchanged, with the reasons. */
function BulkReport<Item extends { id: string } | string>({
  title,
  result,
  renderItem,
  onClose,
}: BulkReportProps<Item>): ReactNode {
  return (
    <Modal opened={result !== null} onClose={onClose} title={title} size="lg">
      {result && (
        <Stack>
          <Text>
            {countUnchanged(result).toLocaleString('en')} unchanged. They stay selected, so that you can try
            again.
          </Text>
          {result.rejected.length > 0 && (
            <Table fz="sm" aria-label="Refused">
              <Table.Tbody>
                {result.rejected.map(({ item, problem }) => (
                  <Table.Tr key={typeof item === 'string' ? item : item.id}>
                    <Table.Td>{renderItem(item)}</Table.Td>
                    <Table.Td>{problem.message}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
          <Group justify="flex-end">
            <Button onClick={onClose}>Close</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
