import { Paper, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation, useGet } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { QueryContent } from '../components/query-content';
import { useFormatTime } from '../components/use-time-zone';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { CapturedMailsNote } from './captured-mails-note';
import { SignInMethodRow } from './sign-in-method-row';

type Identity = Schemas['OperatorIdentityResponse'];

/** Renders a customer's accounts with identity providers. */
export function CustomerIdentities({ customerId }: { customerId: string }): ReactNode {
  const query = useGet('/operator/v1/customers/{customerId}/identities', { path: { customerId } });
  const [selected, setSelected] = useState<Identity | null>(null);
  return (
    <Paper component="section" aria-label="Identities">
      <Title order={2} mb="sm">
        Identities
      </Title>
      <QueryContent query={query}>
        {({ data }) => (
          <Stack>
            {data.length === 0 && <Text c="dimmed">No accounts at identity providers</Text>}
            {data.map((identity) => (
              <IdentityRow key={identity.id} identity={identity} onRemove={() => setSelected(identity)} />
            ))}
          </Stack>
        )}
      </QueryContent>
      <RemoveIdentity customerId={customerId} identity={selected} onClose={() => setSelected(null)} />
    </Paper>
  );
}

function IdentityRow({ identity, onRemove }: { identity: Identity; onRemove: () => void }): ReactNode {
  const { providerName, provider, subject, email, createdAt, lastUsedAt } = identity;
  const formatTime = useFormatTime();
  return (
    <SignInMethodRow
      name={`Identity at ${providerName}`}
      added="Linked"
      createdAt={createdAt}
      lastUsedAt={lastUsedAt}
      removeLabel={`Remove the identity at ${providerName} linked at ${formatTime(createdAt)}`}
      onRemove={onRemove}
    >
      <UntrustedText text={providerName} /> <UntrustedText text={provider} mono />
      <Text size="sm">
        Subject <UntrustedText text={subject} mono />
      </Text>
      {email !== null && (
        <Text size="sm">
          Email at the provider <UntrustedText text={email} />
        </Text>
      )}
    </SignInMethodRow>
  );
}

interface RemoveIdentityProps {
  customerId: string;
  /** The identity to remove; null if the dialog is closed. */
  identity: Identity | null;
  onClose: () => void;
}

function RemoveIdentity({ customerId, identity, onClose }: RemoveIdentityProps): ReactNode {
  const remove = useApiMutation(
    ({ identityId, reason }: { identityId: string; reason: string }) =>
      unwrap(
        api.POST('/operator/v1/customers/{customerId}/identities/{identityId}/remove', {
          params: { path: { customerId, identityId } },
          body: { reason },
        }),
      ),
    '/operator/v1/customers',
  );
  return (
    <ActionDialog
      open={identity !== null}
      onClose={onClose}
      title="Remove this identity?"
      confirmLabel="Remove identity"
      danger
      requiresReason="required"
      onConfirm={async (reason) => {
        if (!identity) return;
        await remove.mutateAsync({ identityId: identity.id, reason });
        toastSuccess('Identity removed');
      }}
    >
      <Text>
        All sessions of the customer will end, and the customer will be notified by email. Only the customer
        can link the account again.
      </Text>
      <Text>Check that the customer has another way to sign in.</Text>
      <CapturedMailsNote />
    </ActionDialog>
  );
}
