import type { ReactNode } from 'react';
import { useHasMailbox } from '../app/use-has-mailbox';
import { mailKindFilter, mailStateFilter, mailTimeFilter } from '../lists/mail-log';
import { mailColumns, MailList } from '../lists/mail-list';

const filters = { state: mailStateFilter, kind: mailKindFilter, time: mailTimeFilter };

const { kind, recipient, state, time } = mailColumns;
const columns = [kind, recipient, state, time];

/** Lists the emails to a customer. */
export function CustomerMails({ customerId }: { customerId: string }): ReactNode {
  const hasMailbox = useHasMailbox();
  return (
    <MailList
      columns={columns}
      filters={filters}
      fixedQuery={{ customerId }}
      hasMailbox={hasMailbox}
      empty={{ title: 'No emails', text: 'Emails are deleted from this list after 30 days.' }}
    />
  );
}
