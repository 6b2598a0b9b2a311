import { Checkbox, Text } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import { api, unwrap } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import type { Batch } from './redelivery-batch';
import { RejectionList } from './rejection-list';

interface StartBatchDialogProps {
  /** A plan; null keeps the dialog closed. */
  plan: Batch | null;
  onClose: () => void;
  onStarted: (batch: Batch) => void;
}

/**
 * Renders the dialog that shows how many deliveries a plan includes and excludes, and starts the plan. A reason is
 * required.
 */
export function StartBatchDialog({ plan, onClose, onStarted }: StartBatchDialogProps): ReactNode {
  const start = useApiMutation(
    ({ id, reason, enablesEndpoints }: { id: string; reason: string; enablesEndpoints: boolean }) =>
      unwrap(
        api.POST('/operator/v1/webhooks/redeliveries/{redeliveryId}/start', {
          params: { path: { redeliveryId: id } },
          body: { reason, enable_endpoint: enablesEndpoints },
        }),
      ),
    '/operator/v1/webhooks/',
    '/operator/v1/overview',
  );
  // Retains the plan while the closing dialog fades out.
  const lastPlan = useRef(plan);
  if (plan) lastPlan.current = plan;
  const {
    id: planId,
    eligible: eligibleNow = 0,
    total = 0,
    not_eligible: excluded = [],
  } = lastPlan.current ?? {};
  const disabledCount = excluded.find(({ reason }) => reason === 'endpoint_disabled')?.count ?? 0;
  // The ID of the plan whose endpoints the operator has chosen to enable.
  const [enabledPlan, setEnabledPlan] = useState<string | null>(null);
  const enablesEndpoints = disabledCount > 0 && enabledPlan === planId;
  const eligible = enablesEndpoints ? eligibleNow + disabledCount : eligibleNow;
  const notEligible = excluded.filter(({ reason }) => !enablesEndpoints || reason !== 'endpoint_disabled');
  const verb = enablesEndpoints ? 'Enable and redeliver' : 'Redeliver';
  return (
    <ActionDialog
      open={plan !== null}
      onClose={onClose}
      title={
        eligible === 0 ? 'No deliveries can be redelivered' : `${verb} ${formatDeliveryCount(eligible)}?`
      }
      confirmLabel={eligible === 0 ? 'Redeliver' : `${verb} ${eligible.toLocaleString('en')}`}
      requiresReason={eligible === 0 ? undefined : 'required'}
      disabled={eligible === 0}
      onConfirm={async (reason) => {
        const { data: batch } = await start.mutateAsync({ id: plan!.id, reason, enablesEndpoints });
        onStarted(batch);
      }}
    >
      <Text>{formatPlanSummary(total, eligible)}</Text>
      {notEligible.length > 0 && (
        <div>
          <Text fw={600} mb={4}>
            Excluded
          </Text>
          <RejectionList name="Excluded" rejections={notEligible} />
        </div>
      )}
      {disabledCount > 0 && (
        <Checkbox
          label={`Enable the disabled endpoints and redeliver their ${formatDeliveryCount(disabledCount)}`}
          description="The endpoints then receive new events again."
          checked={enablesEndpoints}
          onChange={(event) => setEnabledPlan(event.currentTarget.checked ? planId! : null)}
        />
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
