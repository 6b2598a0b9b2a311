import { Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api } from '../http/client';
import { BulkActionDialog, type BulkResult } from '../lists/bulk-action-dialog';
import { CopyTextButton } from '../components/copy-button';
import { renderDelivery } from './delivery-dialogs';

/** Maximum number of deliveries that are replayed at once. */
export const MAX_REPLAYS = 50;

interface ReplayDialogProps {
  /** Delivery IDs; an empty array keeps the dialog closed. */
  ids: string[];
  onClose: () => void;
  onDone: (result: BulkResult<string>) => void;
}

const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;

/**
 * Renders the dialog that sends deliveries once to a URL that the operator enters. The URL and the secret are kept
 * until the operator leaves the page, so that several replays can be sent to the same receiver.
 */
export function ReplayDialog({ ids, ...props }: ReplayDialogProps): ReactNode {
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState(newSecret);
  return (
    <BulkActionDialog
      {...props}
      items={ids}
      renderItem={renderDelivery}
      title={(count) => (count === 1 ? 'Replay to another URL' : `Replay ${count} deliveries to another URL`)}
      confirmLabel={(count) => (count === 1 ? 'Replay' : `Replay ${count}`)}
      reportTitle={(done, count) => `Replayed ${done} of ${count}`}
      requiresReason="optional"
      perform={(deliveryId, reason) =>
        api.POST('/operator/v1/webhooks/deliveries/{deliveryId}/replay', {
          params: { path: { deliveryId } },
          body: { url: url.trim(), secret: secret.trim(), reason: reason || null },
        })
      }
      invalidatedPaths={['/operator/v1/webhooks/replays', '/operator/v1/audit-log']}
    >
      {() => (
        <>
          <Text>
            The event is sent once to this URL, for example to a server that you are debugging. The delivery
            and the metrics of its endpoint do not change. The URL receives the customer’s data; the
            endpoint’s custom headers are not sent.
          </Text>
          <TextInput
            label="URL"
            type="url"
            required
            maxLength={2048}
            placeholder="https://debug.example.com/webhooks"
            data-autofocus
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <div>
            <TextInput
              label="Signing secret"
              description="This secret signs the request instead of the endpoint’s secret. Set it in your receiver before you replay, or enter the secret that the receiver already uses."
              required
              autoComplete="off"
              spellCheck={false}
              value={secret}
              onChange={(event) => setSecret(event.currentTarget.value)}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              mb="xs"
            />
            <CopyTextButton value={secret} name="signing secret" />
          </div>
        </>
      )}
    </BulkActionDialog>
  );
}
