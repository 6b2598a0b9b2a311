import { Button, Drawer, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useGet } from '../http/queries';
import { Id } from '../components/id';
import { PropertyList } from '../components/property-list';
import { QueryContent } from '../components/query-content';
import { ProjectName } from '../components/record-name';
import { StatusBadge } from '../components/status-badge';
import { AbsoluteTime } from '../components/absolute-time';
import { UntrustedText } from '../components/untrusted-text';
import { mailKinds } from './mail-kinds';
import { mailReason, type MailLogEntry } from './mail-log';

interface MailLogDrawerProps {
  /** The email's ID; null if the drawer is closed. */
  id: string | null;
  /** The email, if the list has loaded it. */
  initialMail: MailLogEntry | undefined;
  /** True to link captured emails to the mailbox. */
  hasMailbox: boolean;
  onClose: () => void;
}

/** Renders all fields of an email in a drawer beside the list. */
export function MailLogDrawer({ id, initialMail, hasMailbox, onClose }: MailLogDrawerProps): ReactNode {
  const query = useGet(
    '/operator/v1/mails/{mailId}',
    { path: { mailId: id ?? '' } },
    { enabled: id !== null && !initialMail },
  );
  const mail = initialMail ?? query.data;
  return (
    <Drawer
      opened={id !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={mail ? (mailKinds[mail.kind] ?? mail.kind) : 'Email'}
    >
      {initialMail ? (
        <MailDetails mail={initialMail} hasMailbox={hasMailbox} />
      ) : (
        id !== null && (
          <QueryContent query={query}>
            {(data) => <MailDetails mail={data} hasMailbox={hasMailbox} />}
          </QueryContent>
        )
      )}
    </Drawer>
  );
}

function MailDetails({ mail, hasMailbox }: { mail: MailLogEntry; hasMailbox: boolean }): ReactNode {
  const isCaptured = mail.captured || mail.state === 'queued';
  return (
    <Stack>
      <PropertyList
        items={{
          To: <UntrustedText text={mail.recipient} fallback="Deleted" />,
          Status: <StatusBadge state={mail.state} />,
          ...(mail.reason && { Reason: mailReason(mail) }),
          ...(mail.response && { 'Mail server response': <UntrustedText text={mail.response} mono /> }),
          Customer: <Id id={mail.customerId} to={`/customers/${mail.customerId}`} />,
          Project: <ProjectName id={mail.projectId} link fallback="None" />,
          Attempts: mail.attempts,
          Created: <AbsoluteTime at={mail.createdAt} />,
          ...(mail.nextAttemptAt && { 'Next attempt': <AbsoluteTime at={mail.nextAttemptAt} /> }),
          Finished: mail.finishedAt ? <AbsoluteTime at={mail.finishedAt} /> : '–',
          'Email ID': <Id id={mail.id} />,
        }}
      />
      {hasMailbox && isCaptured && mail.projectId && (
        <div>
          <Button component={Link} to={`/mailbox?mail=${mail.id}`} variant="default" size="xs">
            Open in mailbox
          </Button>
        </div>
      )}
    </Stack>
  );
}
