import { Alert, Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { Can } from '../session/roles';
import { api, unwrap } from '../http/client';
import { useGet, useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { Icon } from '../components/icon';
import { QueryContent } from '../components/query-content';
import { Page } from '../components/page';
import type { Batch } from './redelivery-batch';
import { RejectionList } from './rejection-list';
import { RelativeTime } from '../components/relative-time';
import { StartBatchDialog } from './start-batch-dialog';
import { StatusBadge } from '../components/status-badge';
import { toastSuccess } from '../components/toast';
import { BatchBar, progressSegments } from './batch-bar';
import { BatchDetails, BatchFilter } from './batch-details';
import { batchKindLabel, finishedCount } from './batch-format';
import classes from './batch.module.css';

const LIVE_INTERVAL_MS = 1_500;
const backLink = { to: '/batches', label: 'Batches' };

/** Returns true while deliveries are in progress. A canceled batch can still have pending deliveries. */
const isInProgress = ({ state, progress }: Batch): boolean => state === 'running' || progress.pending > 0;

export function BatchScreen(): ReactNode {
  const { id: redeliveryId = '' } = useParams();
  const query = useGet(
    '/operator/v1/webhooks/redeliveries/{redeliveryId}',
    { path: { redeliveryId } },
    {
      refetchInterval: (response) =>
        response !== undefined && isInProgress(response.data) && LIVE_INTERVAL_MS,
    },
  );
  if (!query.data) {
    return (
      <Page title="Batch" back={backLink}>
        <QueryContent query={query}>{() => null}</QueryContent>
      </Page>
    );
  }
  const batch = query.data.data;
  return (
    <Page
      title={batchKindLabel(batch)}
      heading={
        <Group gap="sm" component="span">
          {batchKindLabel(batch)}
          <StatusBadge state={batch.state} />
        </Group>
      }
      back={backLink}
      actions={
        <Can role="operator">
          <Actions batch={batch} />
        </Can>
      }
    >
      <Stack gap="md">
        {batch.state === 'planned' && <PlanNotice batch={batch} />}
        {batch.started_at && <Progress batch={batch} />}
        <Paper component="section" aria-label="About this batch">
          <BatchDetails batch={batch} />
        </Paper>
        <Paper component="section">
          <Title order={2} mb="xs">
            {batch.kind === 'recovery' ? 'Events to recover' : 'Filter'}
          </Title>
          <BatchFilter batch={batch} />
        </Paper>
        <IneligibleDeliveries batch={batch} />
      </Stack>
    </Page>
  );
}

function PlanNotice({ batch: { eligible, expires_at: expiresAt } }: { batch: Batch }): ReactNode {
  return (
    <Alert color="gray" icon={<Icon name="info" size={18} />} title="No deliveries have been sent yet">
      <Text>
        This is a plan for {eligible.toLocaleString('en')} {eligible === 1 ? 'delivery' : 'deliveries'}.
        {expiresAt && (
          <>
            {' '}
            It expires <RelativeTime at={expiresAt} /> unless it is started.
          </>
        )}
      </Text>
    </Alert>
  );
}

function Progress({ batch }: { batch: Batch }): ReactNode {
  const finished = finishedCount(batch);
  return (
    <Paper component="section" aria-label="Progress">
      <Group justify="space-between" mb="xs">
        <Title order={2}>
          {finished.toLocaleString('en')} of {batch.eligible.toLocaleString('en')} done
        </Title>
        <Anchor component={Link} to={`/deliveries?batch_id=${batch.id}`}>
          View deliveries
        </Anchor>
      </Group>
      <BatchBar batch={batch} />
      <dl className={classes.counts}>
        {progressSegments(batch).map(({ name, count, className }) => (
          <div key={name} className={className}>
            <dt>{name}</dt>
            <dd>{count.toLocaleString('en')}</dd>
          </div>
        ))}
        <div>
          <dt>{batch.state === 'cancelled' ? 'Never sent' : 'Not sent yet'}</dt>
          <dd>{batch.progress.remaining.toLocaleString('en')}</dd>
        </div>
      </dl>
    </Paper>
  );
}

function IneligibleDeliveries({
  batch: { not_eligible: notEligible, progress },
}: {
  batch: Batch;
}): ReactNode {
  return (
    <>
      {notEligible.length > 0 && (
        <Paper component="section">
          <Title order={2} mb="xs">
            Excluded when planned
          </Title>
          <RejectionList name="Excluded when planned" rejections={notEligible} />
        </Paper>
      )}
      {progress.skipped.length > 0 && (
        <Paper component="section">
          <Title order={2} mb="xs">
            Skipped at send time
          </Title>
          <RejectionList name="Skipped at send time" rejections={progress.skipped} />
        </Paper>
      )}
    </>
  );
}

function Actions({ batch }: { batch: Batch }): ReactNode {
  const [openDialog, setOpenDialog] = useState<'start' | 'cancel' | null>(null);
  const close = (): void => setOpenDialog(null);
  const cancel = useApiMutation(
    () =>
      unwrap(
        api.POST('/operator/v1/webhooks/redeliveries/{redeliveryId}/cancel', {
          params: { path: { redeliveryId: batch.id } },
        }),
      ),
    '/operator/v1/webhooks/',
  );
  const { state, progress } = batch;
  const isPlan = state === 'planned';
  return (
    <>
      {(isPlan || state === 'running') && (
        <Button variant="default" leftSection={<Icon name="cross" />} onClick={() => setOpenDialog('cancel')}>
          {isPlan ? 'Discard plan' : 'Cancel batch'}
        </Button>
      )}
      {isPlan && batch.eligible > 0 && (
        <Button leftSection={<Icon name="play" />} onClick={() => setOpenDialog('start')}>
          Start batch
        </Button>
      )}
      <StartBatchDialog
        plan={openDialog === 'start' ? batch : null}
        onClose={close}
        onStarted={() => toastSuccess('Batch started')}
      />
      <ActionDialog
        open={openDialog === 'cancel'}
        onClose={close}
        title={isPlan ? 'Discard this plan?' : 'Cancel this batch?'}
        confirmLabel={isPlan ? 'Discard plan' : 'Cancel batch'}
        cancelLabel={isPlan ? 'Keep plan' : 'Keep running'}
        danger
        onConfirm={async () => {
          await cancel.mutateAsync(undefined);
          toastSuccess(isPlan ? 'Plan discarded' : 'Batch canceled');
        }}
      >
        <Text>
          {isPlan ? 'None of its deliveries will be sent.' : formatRemaining(progress.remaining)} This cannot
          be undone.
        </Text>
      </ActionDialog>
    </>
  );
}

/** Returns a description of the deliveries that are not sent if the batch is canceled. */
function formatRemaining(count: number): string {
  if (count === 0) return 'All deliveries of this batch have already started and will continue.';
  const deliveries = count === 1 ? '1 delivery' : `${count.toLocaleString('en')} deliveries`;
  return `${deliveries} will not be sent. Deliveries that have already started will continue.`;
}
