import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { SESSION_PATH } from '../app/session';
import { api, data, type Schemas } from '../http/client';
import { useGet, useSend } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { ForeignText } from '../parts/foreign-text';
import { Loaded } from '../parts/loaded';
import { RelativeTime } from '../parts/relative-time';
import { Badge } from '../parts/status-badge';
import { toastDone } from '../parts/toast';
import { SessionState } from '../parts/session-state';

type Entry = Schemas['OperatorSessionEntry'];

export const OWN_SESSIONS = `${SESSION_PATH}/sessions` as const;

const end = (which: Entry | 'others'): Promise<unknown> =>
  which === 'others'
    ? data(api.DELETE(OWN_SESSIONS))
    : data(api.DELETE(`${OWN_SESSIONS}/{sessionId}`, { params: { path: { sessionId: which.id } } }));

/** One's own sessions, and the way to end another one, or all others. */
export function OwnSessions(): ReactNode {
  const sessions = useGet(OWN_SESSIONS);
  const [asked, setAsked] = useState<Entry | 'others' | null>(null);
  const send = useSend(end, OWN_SESSIONS, '/operator/v1/operators/');
  return (
    <>
      <Loaded query={sessions}>
        {({ data: entries }) => (
          <Stack gap="sm">
            {entries.map((entry) => (
              <OwnSession key={entry.id} entry={entry} onEnd={() => setAsked(entry)} />
            ))}
            {entries.length > 1 && (
              <Group>
                <Button variant="outline" color="red.8" c="var(--bad)" onClick={() => setAsked('others')}>
                  Revoke all other sessions
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </Loaded>
      {asked && (
        <ActionDialog
          open
          onClose={() => setAsked(null)}
          title={asked === 'others' ? 'Revoke all other sessions?' : 'Revoke this session?'}
          confirm={asked === 'others' ? 'Revoke all other sessions' : 'Revoke session'}
          danger
          onConfirm={async () => {
            await send.mutateAsync(asked);
            toastDone(asked === 'others' ? 'Other sessions revoked' : 'Session revoked');
          }}
        >
          {asked === 'others' ? (
            <Text>
              Every session except the current one is signed out immediately. You can sign in again.
            </Text>
          ) : (
            <Text>
              The session at <ForeignText text={asked.ip} none="an unknown address" mono /> is signed out
              immediately. You can sign in again.
            </Text>
          )}
        </ActionDialog>
      )}
    </>
  );
}

function OwnSession({ entry, onEnd }: { entry: Entry; onEnd: () => void }): ReactNode {
  return (
    <Group component="section" aria-label="Session" justify="space-between" gap="xs" wrap="nowrap">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <ForeignText text={entry.ip} none="Unknown address" mono />
          {entry.current && <Badge tone="good">Current session</Badge>}
          <SessionState of={entry} />
        </Group>
        <Text size="xs" c="dimmed">
          <ForeignText text={entry.userAgent} none="Unknown browser" />
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
          onClick={onEnd}
        >
          Revoke
        </Button>
      )}
    </Group>
  );
}
