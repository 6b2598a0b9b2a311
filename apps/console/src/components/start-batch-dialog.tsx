import { Text } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from './action-dialog';
import type { Batch } from './redelivery-batch';
import { RefusalList } from './refusal-list';

interface StartBatchDialogProps {
  /** A plan; null keeps the dialog closed. */
  plan: Batch | null;
  onClose: () => void;
  onStarted: (batch: Batch) => void;
}

/** Shows the deliveries that a plan includes and excludes, and starts the plan once. A reason is required. */
export function StartBatchDialog({ plan, onClose, onStarted }: StartBatchDialogProps): ReactNode {
  const start = useApiMutation(
    ({ id, reason }: { id: string; reason: string }) =>
      unwrap(
        api.POST('/operator/v1/webhooks/redeliveries/{redeliveryId}/start', {
          params: { path: { redeliveryId: id } },
          body: { reason },
        }),
      ),
    '/operator/v1/webhooks/',
    '/operator/v1/overview',
  );
  // Retains the plan while the closing dialog fades out.
  const lastPlan = useRef(plan);
  if (plan) lastPlan.current = plan;
  const { eligible = 0, total = 0, not_eligible: notEligible = [] } = lastPlan.current ?? {};
  return (
    <ActionDialog
      open={plan !== null}
      onClose={onClose}
      title={
        eligible === 0 ? 'No deliveries can be redelivered' : `Redeliver ${formatDeliveryCount(eligible)}?`
      }
      confirmLabel={eligible === 0 ? 'Redeliver' : `Redeliver ${eligible.toLocaleString('en')}`}
      requiresReason={eligible === 0 ? undefined : 'required'}
      disabled={eligible === 0}
      onConfirm={async (reason) => {
        const { data: batch } = await start.mutateAsync({ id: plan!.id, reason });
        onStarted(batch);
      }}
    >
      <Text>{formatPlanSummary(total, eligible)}</Text>
      {notEligible.length > 0 && (
        <div>
          <Text fw={600} mb={4}>
            Excluded
          </Text>
          <RefusalList name="Excluded" refusals={notEligible} />
        </div>
      )}
      {eligible > 0 && (
        <Text c="dimmed">
          Only these deliveries are sent, a few at a time. You can cancel the batch while it runs, but
          deliveries that were already sent cannot be recalled. Nothing is sent before you start the batch.
          The plan stays available under Batches for one day.
        </Text>
      )}
    </ActionDialog>
  );
}

const formatDeliveryCount = (count: number): string =>
  count === 1 ? '1 delivery' : `${count.toLocaleString('en')} deliveries`;

function formatPlanSummary(total: number, eligible: number): string {
  if (total === 0) return 'No deliveries matched when the batch was planned.';
  if (total === eligible)
    return total === 1
      ? 'The matching delivery can be redelivered.'
      : 'All matching deliveries can be redelivered.';
  return `${formatDeliveryCount(total)} matched. ${eligible.toLocaleString('en')} of them can be redelivered.`;
}
