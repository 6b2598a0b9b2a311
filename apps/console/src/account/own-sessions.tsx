import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { SESSION_PATH } from '../session/session';
import { api, unwrap, type Schemas } from '../http/client';
import { useGet, useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { UntrustedText } from '../components/untrusted-text';
import { QueryContent } from '../components/query-content';
import { RelativeTime } from '../components/relative-time';
import { Badge } from '../components/status-badge';
import { toastSuccess } from '../components/toast';
import { SessionState } from '../operators/session-state';

type Entry = Schemas['OperatorSessionEntry'];

export const OWN_SESSIONS_PATH = `${SESSION_PATH}/sessions` as const;

const revokeSessions = (target: Entry | 'others'): Promise<unknown> =>
  target === 'others'
    ? unwrap(api.DELETE(OWN_SESSIONS_PATH))
    : unwrap(api.DELETE(`${OWN_SESSIONS_PATH}/{sessionId}`, { params: { path: { sessionId: target.id } } }));

/** Lists the signed-in operator's sessions. The operator can revoke another session or all other sessions. */
export function OwnSessions(): ReactNode {
  const sessions = useGet(OWN_SESSIONS_PATH);
  const [target, setTarget] = useState<Entry | 'others' | null>(null);
  const revoke = useApiMutation(revokeSessions, OWN_SESSIONS_PATH, '/operator/v1/operators/');
  return (
    <>
      <QueryContent query={sessions}>
        {({ data: entries }) => (
          <Stack gap="sm">
            {entries.map((entry) => (
              <OwnSession key={entry.id} entry={entry} onRevoke={() => setTarget(entry)} />
            ))}
            {entries.length > 1 && (
              <Group>
                <Button variant="outline" color="red.8" c="var(--bad)" onClick={() => setTarget('others')}>
                  Revoke all other sessions
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </QueryContent>
      {target && (
        <ActionDialog
          open
          onClose={() => setTarget(null)}
          title={target === 'others' ? 'Revoke all other sessions?' : 'Revoke this session?'}
          confirmLabel={target === 'others' ? 'Revoke all other sessions' : 'Revoke session'}
          danger
          onConfirm={async () => {
            await revoke.mutateAsync(target);
            toastSuccess(target === 'others' ? 'Other sessions revoked' : 'Session revoked');
          }}
        >
          {target === 'others' ? (
            <Text>
              Every session except the current one will be signed out immediately. You can sign in again.
            </Text>
          ) : (
            <Text>
              The session at <UntrustedText text={target.ip} fallback="an unknown address" mono /> will be
              signed out immediately. You can sign in again.
            </Text>
          )}
        </ActionDialog>
      )}
    </>
  );
}

function OwnSession({ entry, onRevoke }: { entry: Entry; onRevoke: () => void }): ReactNode {
  return (
    <Group component="section" aria-label="Session" justify="space-between" gap="xs" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <UntrustedText text={entry.ip} fallback="Unknown address" mono />
          {entry.current && <Badge tone="good">Current session</Badge>}
          <SessionState session={entry} />
        </Group>
        <Text size="xs" c="dimmed">
          <UntrustedText text={entry.userAgent} fallback="Unknown browser" />
        </Text>
        <Text size="xs" c="dimmed">
          Last seen <RelativeTime at={entry.lastSeenAt} />
        </Text>
      </div>
      {!entry.current && (
        <Button
          variant="subtle"
          size="compact-xs"
          color="red.8"
          c="var(--bad)"
          aria-label={`Revoke the session at ${entry.ip ?? 'an unknown address'}`}
          onClick={onRevoke}
        >
          Revoke
        </Button>
      )}
    </Group>
  );
}
