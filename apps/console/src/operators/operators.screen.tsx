import { Alert, Button, Group, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Can } from '../session/roles';
import { useIsSingleSignOnRequired, useOperator } from '../session/session';
import type { Schemas } from '../http/client';
import { textFilter } from '../lists/filters';
import { List } from '../lists/list';
import type { Column } from '../lists/list-table';
import { useList } from '../lists/use-list';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { InstallationOnly } from '../session/installation-only';
import { OperatorAccess } from './operator-access';
import { Page } from '../components/page';
import { RelativeTime } from '../components/relative-time';
import { Badge, StatusBadge } from '../components/status-badge';
import { useUrlDialog } from '../components/use-url-dialog';
import { ChangeAccessDialog, ChangeRoleDialog } from './change-operator';
import { InvitationLinkDialog, InviteOperator, showInvitation, type InvitationLink } from './invite-operator';
import { actionTexts, type Operator, type OperatorAction } from './operator-actions';
import { OperatorActionDialog, InviteAgainDialog } from './operator-dialogs';
import { OperatorMenu, type OperatorMenuAction } from './operator-menu';
import { OperatorSessions } from './operator-sessions';
import { roles, RolePermissions } from './role-permissions';

export function OperatorsScreen(): ReactNode {
  return (
    <InstallationOnly title="Operators">
      <Can
        role="admin"
        fallback={
          <Page title="Operators">
            <Alert color="gray" icon={<Icon name="lock" size={20} />} title="Admins only">
              Only admins can view and change the operators of this installation.
            </Alert>
            <RolePermissions />
          </Page>
        }
      >
        <Operators />
      </Can>
    </InstallationOnly>
  );
}

const filters = { q: textFilter('Search', 'Part of email or name, or ID', /\S/) };

const columns: Column<Operator>[] = [
  { header: 'Operator', cell: (row) => <OperatorCell operator={row} /> },
  { header: 'Role', cell: (row) => roles[row.role]?.label ?? row.role },
  {
    header: 'Access',
    cell: (row) => <OperatorAccess organizationIds={row.organizationIds} max={2} />,
  },
  { header: 'Status', status: true, cell: (row) => <StatusBadge state={row.status} /> },
  {
    header: '2FA',
    cell: (row) => {
      if (row.secondFactor) return <Badge tone="good">Enabled</Badge>;
      // The identity provider is responsible for the second factor.
      if (row.singleSignOn) return <Badge tone="calm">Single sign-on</Badge>;
      return <Badge tone="warn">Not set up</Badge>;
    },
  },
  {
    header: 'Last sign-in',
    align: 'right',
    cell: (row) => <RelativeTime at={row.lastLoginAt} fallback="Never" />,
  },
  { header: 'Added', align: 'right', wideOnly: true, cell: (row) => <RelativeTime at={row.createdAt} /> },
];

function OperatorCell({ operator }: { operator: Operator }): ReactNode {
  const isSelf = useOperator().id === operator.id;
  return (
    <div>
      <Group gap={6} wrap="nowrap">
        <Text component="span" fw={550}>
          <UntrustedText text={operator.email} />
        </Text>
        {isSelf && <Badge tone="info">You</Badge>}
      </Group>
      {operator.name && (
        <Text c="dimmed" size="xs">
          <UntrustedText text={operator.name} />
        </Text>
      )}
    </div>
  );
}

const OTHER_PARAMS = ['invite'];

/** The operator list. `?invite=` opens the form. */
function Operators(): ReactNode {
  const invitation = useUrlDialog('invite');
  const [link, setLink] = useState<InvitationLink | null>(null);
  const [selection, setSelection] = useState<{ action: OperatorMenuAction; operator: Operator } | null>(null);
  const list = useList({
    name: 'operators',
    path: '/operator/v1/operators',
    count: '/operator/v1/operators/count',
    filters,
    otherParams: OTHER_PARAMS,
  });
  const onInvited = (invited: Schemas['InvitedOperatorResponse']): void => showInvitation(invited, setLink);
  const actions: Column<Operator> = {
    header: 'Actions',
    hideable: false,
    align: 'right',
    cell: (row) => (
      <OperatorMenu operator={row} onSelect={(action) => setSelection({ action, operator: row })} />
    ),
  };
  // With single sign-on, the first sign-in creates the operator.
  const canInvite = !useIsSingleSignOnRequired();
  const inviteButton = canInvite && (
    <Button leftSection={<Icon name="plus" />} onClick={invitation.open}>
      Invite operator
    </Button>
  );
  return (
    <Page title="Operators" description="The people who can sign in to this console." actions={inviteButton}>
      <List
        list={list}
        noun="operators"
        columns={[...columns, actions]}
        empty={{
          title: 'No operators',
          text: canInvite
            ? 'Invite your colleagues to this console.'
            : 'Operators are created when they sign in with single sign-on.',
          action: inviteButton,
        }}
      />
      <RolePermissions />
      {canInvite && invitation.isOpen && <InviteOperator onClose={invitation.close} onInvited={onInvited} />}
      {selection && <SelectedDialog {...selection} onSelect={setSelection} onInvited={onInvited} />}
      <InvitationLinkDialog link={link} onClose={() => setLink(null)} />
    </Page>
  );
}

interface SelectedDialogProps {
  action: OperatorMenuAction;
  operator: Operator;
  onSelect: (selection: { action: OperatorMenuAction; operator: Operator } | null) => void;
  onInvited: (invited: Schemas['InvitedOperatorResponse']) => void;
}

const isOperatorAction = (action: OperatorMenuAction): action is OperatorAction =>
  Object.hasOwn(actionTexts, action);

/** Renders the dialog for the action that was selected in the menu. */
function SelectedDialog({ action, operator, onSelect, onInvited }: SelectedDialogProps): ReactNode {
  const close = (): void => onSelect(null);
  if (isOperatorAction(action))
    return <OperatorActionDialog operator={operator} action={action} onClose={close} />;
  switch (action) {
    case 'role':
      return <ChangeRoleDialog operator={operator} onClose={close} />;
    case 'access':
      return <ChangeAccessDialog operator={operator} onClose={close} />;
    case 'invite-again':
      return <InviteAgainDialog operator={operator} onClose={close} onInvited={onInvited} />;
    case 'sessions':
      return (
        <OperatorSessions
          operator={operator}
          onClose={close}
          onRevokeAll={() => onSelect({ action: 'end-sessions', operator })}
        />
      );
  }
}
