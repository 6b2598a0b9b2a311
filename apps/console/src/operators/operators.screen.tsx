import { Alert, Button, Group, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../app/roles';
import { useOperator } from '../app/session';
import type { Schemas } from '../http/client';
import { textFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { ForeignText } from '../parts/foreign-text';
import { Icon } from '../parts/icon';
import { Page } from '../parts/page';
import { RelativeTime } from '../parts/relative-time';
import { Badge, StatusBadge } from '../parts/status-badge';
import { InvitationOnce, InviteOperator } from './invite-operator';
import { actionWords, type Operator, type OperatorAction } from './operator-actions';
import { ActOnOperator, ChangeRole, InviteAgain } from './operator-dialogs';
import { OperatorMenu, type OperatorAsk } from './operator-menu';
import { OperatorSessions } from './operator-sessions';
import { roles, RolesExplained } from './roles-explained';

export function OperatorsScreen(): ReactNode {
  return (
    <Can
      role="admin"
      otherwise={
        <Page title="Operators">
          <Alert color="gray" icon={<Icon name="lock" size={20} />} title="Admins only">
            Only admins can view and change the operators of this installation.
          </Alert>
          <RolesExplained />
        </Page>
      }
    >
      <Operators />
    </Can>
  );
}

const filters = { q: textFilter('Search', 'Part of email or name, or ID', /\S/) };

const columns: Column<Operator>[] = [
  { header: 'Operator', cell: (row) => <Who of={row} /> },
  { header: 'Role', cell: (row) => roles[row.role]?.label ?? row.role },
  { header: 'Status', cell: (row) => <StatusBadge state={row.status} /> },
  {
    header: '2FA',
    cell: (row) =>
      row.secondFactor ? <Badge tone="good">Enabled</Badge> : <Badge tone="warn">Not set up</Badge>,
  },
  {
    header: 'Last sign-in',
    align: 'right',
    cell: (row) => <RelativeTime at={row.lastLoginAt} none="Never" />,
  },
  { header: 'Added', align: 'right', wideOnly: true, cell: (row) => <RelativeTime at={row.createdAt} /> },
];

function Who({ of: operator }: { of: Operator }): ReactNode {
  const isSelf = useOperator().id === operator.id;
  return (
    <div>
      <Group gap={6} wrap="nowrap">
        <Text component="span" fw={550}>
          <ForeignText text={operator.email} />
        </Text>
        {isSelf && <Badge tone="info">You</Badge>}
      </Group>
      {operator.name && (
        <Text c="dimmed" size="xs">
          <ForeignText text={operator.name} />
        </Text>
      )}
    </div>
  );
}

function Operators(): ReactNode {
  const [isInviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<Schemas['InvitedOperatorResponse'] | null>(null);
  const [ask, setAsk] = useState<{ what: OperatorAsk; of: Operator } | null>(null);
  const list = useList({
    path: '/operator/v1/operators',
    count: '/operator/v1/operators/count',
    filters,
  });
  const actions: Column<Operator> = {
    header: 'Actions',
    align: 'right',
    cell: (row) => <OperatorMenu of={row} onPick={(what) => setAsk({ what, of: row })} />,
  };
  const invite = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setInviting(true)}>
      Invite operator
    </Button>
  );
  return (
    <Page title="Operators" about="The people who can sign in to this console." actions={invite}>
      <List
        list={list}
        noun="operators"
        columns={[...columns, actions]}
        empty={{ title: 'No operators', text: 'Invite your colleagues to this console.', action: invite }}
      />
      <RolesExplained />
      {isInviting && <InviteOperator onClose={() => setInviting(false)} onInvited={setInvited} />}
      {ask && <Asked {...ask} onAsk={setAsk} onInvited={setInvited} />}
      <InvitationOnce invited={invited} onClose={() => setInvited(null)} />
    </Page>
  );
}

interface AskedProps {
  what: OperatorAsk;
  of: Operator;
  onAsk: (ask: { what: OperatorAsk; of: Operator } | null) => void;
  onInvited: (invited: Schemas['InvitedOperatorResponse']) => void;
}

const isPlain = (what: OperatorAsk): what is OperatorAction => Object.hasOwn(actionWords, what);

/** The dialog of what was picked in the menu. */
function Asked({ what, of, onAsk, onInvited }: AskedProps): ReactNode {
  const close = (): void => onAsk(null);
  if (isPlain(what)) return <ActOnOperator of={of} action={what} onClose={close} />;
  switch (what) {
    case 'role':
      return <ChangeRole of={of} onClose={close} />;
    case 'invite-again':
      return <InviteAgain of={of} onClose={close} onInvited={onInvited} />;
    case 'sessions':
      return (
        <OperatorSessions of={of} onClose={close} onEndAll={() => onAsk({ what: 'end-sessions', of })} />
      );
  }
}
