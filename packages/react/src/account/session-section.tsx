'use client';
import type { Session } from '@gatehouse/js';
import { useRef } from 'react';
import { ActionButton } from '../components/action-button.js';
import { FormDialogButton } from '../components/dialog.js';
import { NotLoaded } from '../components/not-loaded.js';
import { useLoaded } from '../components/use-loaded.js';
import { fill, useTexts } from '../use-texts.js';
import { useAccount } from './account-context.js';
import { Row, Rows, Section, useDateText } from './section.js';

/** Number of sessions to show initially, and to add with each click on "Show more". */
const PAGE = 5;

/** The sessions, newest first. */
export function SessionSection() {
  const texts = useTexts();
  const { client } = useAccount();
  const limit = useRef(PAGE);
  const sessions = useLoaded(() => client.sessions.list({ limit: limit.current }));
  const { value, reload } = sessions;
  if (!value)
    return (
      <Section title={texts.sessions}>
        <NotLoaded {...sessions} lines={3} />
      </Section>
    );
  const loadMore = (): Promise<void> => {
    limit.current += PAGE;
    return reload();
  };
  return (
    <Section title={texts.sessions}>
      <Rows>
        {value.data.map((session) => (
          <SessionRow key={session.id} session={session} reload={reload} />
        ))}
      </Rows>
      {value.hasMore ? <ActionButton work={loadMore}>{texts.more}</ActionButton> : null}
      {value.data.length > 1 ? (
        <FormDialogButton
          label={texts.endOthers}
          submitLabel={texts.signOut}
          variant="danger"
          onSubmit={async () => {
            await client.signOut({ scope: 'others' });
            await reload();
          }}
        />
      ) : null}
    </Section>
  );
}

function SessionRow({ session, reload }: { session: Session; reload: () => Promise<void> }) {
  const texts = useTexts();
  const { client } = useAccount();
  const { id, device, ip, lastUsedAt, current } = session;
  const name = device ?? texts.unknownDevice;
  const lastActive = useDateText(true)(texts.lastActive, lastUsedAt);
  return (
    <Row title={name} badge={current && texts.thisDevice} text={ip ? `${lastActive} · ${ip}` : lastActive}>
      {current ? null : (
        <FormDialogButton
          label={texts.signOut}
          subject={name}
          title={fill(texts.endSession, { device: name })}
          variant="danger"
          onSubmit={async () => {
            await client.sessions.revoke(id).catch(ignoreEnded);
            await reload();
          }}
        />
      )}
    </Row>
  );
}

/** Ignores the error if the session has already ended, because the customer wanted to end it. */
function ignoreEnded(error: unknown): void {
  if ((error as { code?: string }).code !== 'not_found') throw error;
}
