import { Modal, Progress, Table, Text } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { toProblem, type Problem } from '../http/problem';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from './action-dialog';
import { Id } from './id';

/** A delivery on which the action was not performed, with the reason. */
interface Refusal {
  id: string;
  reason: string;
}

interface BulkDeliveryDialogProps {
  /** The IDs of the deliveries; an empty array keeps the dialog closed. */
  ids: string[];
  /** Returns the question of the dialog: "Discard 5 dead letters?" */
  title: (count: number) => string;
  /** Returns the verb on the button: "Discard 5". */
  confirmLabel: (count: number) => string;
  /** Returns the title of the report: "Discarded 3 of 5". */
  reportTitle: (done: number, count: number) => string;
  danger?: boolean;
  requiresReason: 'required' | 'optional';
  /** Description of the effects. */
  children: (count: number) => ReactNode;
  /** Performs the action on one delivery. */
  perform: (id: string, reason: string) => Promise<unknown>;
  /** Prefixes of the paths whose data is loaded again. */
  invalidatedPaths: string[];
  onClose: () => void;
  /** Called with the number of deliveries on which the action was performed. */
  onDone: (count: number) => void;
}

/** Returns true if a request was rejected because of its delivery, so that others may succeed. */
const isRefusal = ({ status }: Problem): boolean =>
  status >= 400 && status < 500 && ![401, 403, 429].includes(status);

/**
 * Performs an action on deliveries one by one, because each is a separate entry in the audit log. Shows the
 * progress, and afterwards the deliveries on which the action was refused. The error of a single delivery is
 * shown in the dialog.
 */
export function BulkDeliveryDialog(props: BulkDeliveryDialogProps): ReactNode {
  const { ids, onClose, onDone, perform } = props;
  // If a first run was interrupted, the second one continues after the records that are done.
  const done = useRef(new Set<string>());
  const [finished, setFinished] = useState(0);
  const [report, setReport] = useState<{ title: string; refusals: Refusal[] } | null>(null);
  const run = useApiMutation(
    async (reason: string): Promise<Refusal[]> => {
      const refusals: Refusal[] = [];
      for (const id of ids.filter((each) => !done.current.has(each))) {
        try {
          await perform(id, reason);
          done.current.add(id);
        } catch (error) {
          const problem = toProblem(error);
          if (ids.length === 1 || !isRefusal(problem)) throw problem;
          refusals.push({ id, reason: problem.message });
        }
        setFinished(done.current.size + refusals.length);
      }
      return refusals;
    },
    ...props.invalidatedPaths,
  );
  // Retains the count while the closing dialog fades out.
  const lastCount = useRef(0);
  if (ids.length > 0) lastCount.current = ids.length;
  const count = lastCount.current;
  return (
    <>
      <ActionDialog
        open={ids.length > 0}
        onClose={() => {
          done.current.clear();
          setFinished(0);
          onClose();
        }}
        title={props.title(count)}
        confirmLabel={props.confirmLabel(count)}
        danger={props.danger}
        requiresReason={props.requiresReason}
        onConfirm={async (reason) => {
          const refusals = await run.mutateAsync(reason);
          const doneCount = done.current.size;
          if (refusals.length > 0) setReport({ title: props.reportTitle(doneCount, count), refusals });
          onDone(doneCount);
        }}
      >
        {props.children(count)}
        {count > 1 && run.isPending && (
          <div>
            <Progress value={(100 * finished) / count} aria-label="Progress" />
            <Text c="dimmed" mt={4} aria-live="polite">
              {finished} of {count}
            </Text>
          </div>
        )}
      </ActionDialog>
      <Modal opened={report !== null} onClose={() => setReport(null)} title={report?.title} size="lg">
        <Text mb="xs">The others were refused and are unchanged.</Text>
        <Table fz="sm" aria-label="Refused">
          <Table.Tbody>
            {report?.refusals.map(({ id, reason }) => (
              <Table.Tr key={id}>
                <Table.Td>
                  <Id id={id} short to={`/deliveries/${id}`} copy={false} />
                </Table.Td>
                <Table.Td>{reason}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Modal>
    </>
  );
}
