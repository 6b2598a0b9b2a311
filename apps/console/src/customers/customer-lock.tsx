import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Can } from '../session/roles';
import type { Schemas } from '../http/client';
import { useApiMutation, useGet } from '../http/queries';
import { Icon } from '../components/icon';
import { RelativeTime } from '../components/relative-time';
import { toastError, toastSuccess } from '../components/toast';
import { UntrustedText } from '../components/untrusted-text';
import { performCustomerAction, unlockAction, type Customer } from './customer-actions';
import { describeEntry, entryDetails, entryPath } from './timeline-entry';

type Lock = Schemas['CustomerLockResponse'];

/** Maximum number of failed sign-ins that are shown. */
const MAX_FAILURES = 5;

/** Number of recent sign-ins in which to look for failures. */
const MAX_SIGN_INS = 20;

/** Renders the causes and the end of a lock, with a button that unlocks the customer. */
export function CustomerLock({ customer }: { customer: Customer }): ReactNode {
  const unlock = useApiMutation(
    () => performCustomerAction(unlockAction, customer),
    '/operator/v1/customers',
    '/operator/v1/audit-log',
  );
  const { lock } = customer;
  if (!lock) return null;
  return (
    <Alert
      color="yellow"
      icon={<Icon name="lock" size={20} />}
      title={<LockTitle until={lock.until} />}
      mb="md"
      role="region"
      aria-label="Lock"
    >
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} flex="1 1 18rem">
          {explainLock(lock).map((text) => (
            <Text key={text}>{text}</Text>
          ))}
          <RecentFailures customerId={customer.id} lastFailedAt={lock.lastFailedAt} />
        </Stack>
        <Can role="operator">
          <Button
            loading={unlock.isPending}
            onClick={() =>
              unlock.mutate(undefined, {
                onSuccess: () => toastSuccess(unlockAction.successMessage),
                onError: toastError,
              })
            }
          >
            Unlock
          </Button>
        </Can>
      </Group>
    </Alert>
  );
}

const LockTitle = ({ until }: { until: string | null }): ReactNode =>
  until ? (
    <>
      Locked. The lock ends <RelativeTime at={until} />
    </>
  ) : (
    'Locked until the customer sets a new password'
  );

const countFailures = (count: number, what: string): string =>
  `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;

/** Returns the causes of a lock, and how the customer can still sign in, as sentences. */
function explainLock({ reasons, ...lock }: Lock): string[] {
  const { failedPasswords, consecutiveFailures, failedSecondFactors, knownAddresses } = lock;
  const addresses = knownAddresses === 1 ? '1 IP address' : `${knownAddresses} IP addresses`;
  return [
    ...(reasons.includes('closed_password')
      ? [
          `Password sign-in is blocked after ${countFailures(consecutiveFailures, 'consecutive failed sign-in')}. Unlock the customer, or send a password reset email.`,
        ]
      : []),
    ...(reasons.includes('failed_passwords')
      ? [
          `${countFailures(failedPasswords, 'failed sign-in')} with a password since the lock window began, ${consecutiveFailures.toLocaleString('en')} in a row.`,
        ]
      : []),
    ...(reasons.includes('failed_second_factors')
      ? [`${countFailures(failedSecondFactors, 'wrong second-factor code')} since the lock window began.`]
      : []),
    ...(knownAddresses > 0
      ? [`The customer can still sign in from ${addresses} that they used in the last 30 days.`]
      : []),
  ];
}

/** Renders the recorded failed sign-ins, each with its time, reason and device. */
function RecentFailures({
  customerId,
  lastFailedAt,
}: {
  customerId: string;
  lastFailedAt: string;
}): ReactNode {
  const { data } = useGet('/operator/v1/customers/{customerId}/timeline', {
    path: { customerId },
    query: { kinds: 'sign_in', limit: MAX_SIGN_INS },
  });
  const failures = data?.data.filter(({ type }) => type === 'login.failed').slice(0, MAX_FAILURES) ?? [];
  return (
    <>
      <Text size="sm" c="dimmed">
        Last failed sign-in <RelativeTime at={lastFailedAt} />.
        {failures.length > 0 && ' At most one failed sign-in per minute is recorded:'}
      </Text>
      {failures.map((entry) => (
        <Text key={entry.id} size="sm" c="dimmed">
          <Anchor component={Link} to={entryPath(entry, customerId)} inherit>
            <RelativeTime at={entry.createdAt} />
          </Anchor>{' '}
          <UntrustedText text={[describeEntry(entry), ...entryDetails(entry)].join(' · ')} />
        </Text>
      ))}
    </>
  );
}
