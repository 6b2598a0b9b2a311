import type { ReactNode } from 'react';
import { useHasMailbox } from './use-has-mailbox';
import { projectFilter, textFilter } from '../lists/filters';
import { Page } from '../components/page';
import { mailKindFilter, mailStateFilter, mailTimeFilter, recipientFilter } from './mail-log';
import { mailColumns, MailList } from './mail-list';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const filters = {
  email: recipientFilter,
  state: mailStateFilter,
  kind: mailKindFilter,
  projectId: projectFilter(),
  customerId: textFilter('Customer ID', 'Customer ID', UUID),
  time: mailTimeFilter,
};

const { kind, recipient, state, problem, project, time } = mailColumns;
const columns = [kind, recipient, state, problem, project, time];

/** The emails from the last 30 days, including emails that were not sent. */
export function MailsScreen(): ReactNode {
  const hasMailbox = useHasMailbox();
  return (
    <Page
      title="Emails"
      description="Emails from the last 30 days, and whether they were sent. Their text is not stored."
    >
      <MailList
        name="mails"
        columns={columns}
        filters={filters}
        hasMailbox={hasMailbox}
        empty={{
          title: 'No emails yet',
          text: 'Emails to customers and operators appear here, for example when a customer registers.',
        }}
      />
    </Page>
  );
}
