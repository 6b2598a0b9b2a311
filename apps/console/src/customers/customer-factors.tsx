import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../session/roles';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation, useGet } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { Id } from '../components/id';
import { PropertyList } from '../components/property-list';
import { QueryContent } from '../components/query-content';
import { useFormatTime } from '../components/use-time-zone';
import { toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { CapturedMailsNote } from './captured-mails-note';
import type { Customer } from './customer-actions';
import { ChangeMfa, mfaLabels } from './customer-mfa';
import { SignInMethodRow } from './sign-in-method-row';

type Passkey = Schemas['PasskeyResponse'];
type Factor = Schemas['FactorResponse'] | Passkey;

/** Renders a customer's second factors and recovery codes, and whether the customer needs them to sign in. */
export function CustomerFactors({ customer }: { customer: Customer }): ReactNode {
  const query = useGet('/operator/v1/customers/{customerId}/factors', { path: { customerId: customer.id } });
  const [selected, setSelected] = useState<Factor | null>(null);
  return (
    <Paper component="section" aria-label="Second factors">
      <Group justify="space-between" mb="sm">
        <Title order={2}>Second factors</Title>
        <Can role="admin">
          <ChangeMfa customer={customer} />
        </Can>
      </Group>
      <QueryContent query={query}>
        {({ totp, passkeys, recoveryCodes }) => (
          <Stack>
            <PropertyList
              items={{
                'Second factor at sign-in': mfaLabels[customer.mfa],
                'Recovery codes': recoveryCodes > 0 ? `${recoveryCodes} unused` : 'None',
              }}
            />
            {totp.length + passkeys.length === 0 && (
              <Text c="dimmed">No authenticators and no passkeys. Only the customer can add one.</Text>
            )}
            {[...totp, ...passkeys].map((factor) => (
              <FactorRow key={factor.id} factor={factor} onRemove={() => setSelected(factor)} />
            ))}
          </Stack>
        )}
      </QueryContent>
      <RemoveFactor customerId={customer.id} factor={selected} onClose={() => setSelected(null)} />
    </Paper>
  );
}

const isPasskey = (factor: Factor): factor is Passkey => 'name' in factor;

const typeOf = (factor: Factor): 'Passkey' | 'Authenticator' =>
  isPasskey(factor) ? 'Passkey' : 'Authenticator';

function FactorRow({ factor, onRemove }: { factor: Factor; onRemove: () => void }): ReactNode {
  const type = typeOf(factor);
  const formatTime = useFormatTime();
  return (
    <SignInMethodRow
      name={type}
      added="Added"
      createdAt={factor.createdAt}
      lastUsedAt={factor.lastUsedAt}
      removeLabel={`Remove the ${type.toLowerCase()} added at ${formatTime(factor.createdAt)}`}
      onRemove={onRemove}
    >
      <UntrustedText text={isPasskey(factor) ? `${type} “${factor.name}”` : type} />{' '}
      <Id id={factor.id} short />
    </SignInMethodRow>
  );
}

interface RemoveFactorProps {
  customerId: string;
  /** The factor to remove; null if the dialog is closed. */
  factor: Factor | null;
  onClose: () => void;
}

function RemoveFactor({ customerId, factor, onClose }: RemoveFactorProps): ReactNode {
  const type = factor ? typeOf(factor) : 'Authenticator';
  const remove = useApiMutation(
    ({ factorId, reason }: { factorId: string; reason: string }) =>
      unwrap(
        api.POST('/operator/v1/customers/{customerId}/factors/{factorId}/remove', {
          params: { path: { customerId, factorId } },
          body: { reason },
        }),
      ),
    '/operator/v1/customers',
  );
  return (
    <ActionDialog
      open={factor !== null}
      onClose={onClose}
      title={`Remove this ${type.toLowerCase()}?`}
      confirmLabel={`Remove ${type.toLowerCase()}`}
      danger
      requiresReason="required"
      onConfirm={async (reason) => {
        if (!factor) return;
        await remove.mutateAsync({ factorId: factor.id, reason });
        toastSuccess(`${type} removed`);
      }}
    >
      <Text>
        All sessions of the customer will end, and the customer will be notified by email. If this is the last
        second factor, the recovery codes will also be deleted. This cannot be undone.
      </Text>
      <Text>
        Verify the identity of the customer first, because the password alone may then be enough to sign in.
      </Text>
      <CapturedMailsNote />
    </ActionDialog>
  );
}
