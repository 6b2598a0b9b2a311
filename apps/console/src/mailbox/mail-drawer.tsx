import { Drawer, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../http/client';
import type { Problem } from '../http/problem';
import { fetchPath } from '../http/queries';
import { CopyTextButton } from '../components/copy-button';
import { PropertyList } from '../components/property-list';
import { UntrustedText, UntrustedUrl } from '../components/untrusted-text';
import { QueryContent } from '../components/query-content';
import { ProjectName } from '../components/record-name';
import { RelativeTime } from '../components/relative-time';
import { MailContent } from '../mails/mail-content';
import { mailKinds } from '../mails/mail-kinds';

type Mail = Schemas['MailboxEntry'];

interface MailDrawerProps {
  /** The email's ID; null if the drawer is closed. */
  id: string | null;
  /** The email, if the list has loaded it. */
  initialMail: Mail | undefined;
  onClose: () => void;
}

const PATH = '/operator/v1/mailbox/{mailId}';

/** Shows an email in a drawer beside the list. */
export function MailDrawer({ id, initialMail, onClose }: MailDrawerProps): ReactNode {
  const query = useQuery<Mail, Problem>({
    queryKey: [PATH, id],
    queryFn: async ({ signal }) => (await fetchPath(PATH, { path: { mailId: id } }, signal)) as Mail,
    enabled: id !== null,
    initialData: initialMail,
  });
  return (
    <Drawer
      opened={id !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={query.data ? <UntrustedText text={query.data.subject} /> : 'Email'}
    >
      {id !== null && (
        <QueryContent query={query}>{(mail) => <MailDetails key={mail.id} mail={mail} />}</QueryContent>
      )}
    </Drawer>
  );
}

function MailDetails({ mail }: { mail: Mail }): ReactNode {
  return (
    <Stack>
      <PropertyList
        items={{
          To: <UntrustedText text={mail.to} />,
          Type: mailKinds[mail.kind],
          Project: <ProjectName id={mail.projectId} link fallback="None" />,
          Created: <RelativeTime at={mail.createdAt} />,
        }}
      />
      {mail.link && (
        <Stack gap={6}>
          <Text size="xs" c="dimmed">
            One-time link
          </Text>
          <UntrustedUrl text={mail.link} />
          <Group>
            <CopyTextButton value={mail.link} name="link" />
          </Group>
        </Stack>
      )}
      <MailContent mail={mail} />
    </Stack>
  );
}
