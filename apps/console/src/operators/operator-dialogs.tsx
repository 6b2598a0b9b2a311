import { Alert, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useOperator } from '../app/session';
import { api, data, type Schemas } from '../http/client';
import { useSend } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { ForeignText } from '../parts/foreign-text';
import { Icon } from '../parts/icon';
import { toastDone } from '../parts/toast';
import { actionWords, actOn, type Operator, type OperatorAction } from './operator-actions';
import { RoleRadio } from './role-radio';

const REFRESHED = '/operator/v1/operators';

interface OperatorDialogProps {
  of: Operator;
  onClose: () => void;
}

function Whom({ of: operator }: { of: Operator }): ReactNode {
  return (
    <Text fw={600}>
      <ForeignText text={operator.email} />
    </Text>
  );
}

/** One of the things that need no more than a yes. */
export function ActOnOperator({
  of: operator,
  action,
  onClose,
}: OperatorDialogProps & { action: OperatorAction }): ReactNode {
  const words = actionWords[action];
  const isSelf = useOperator().id === operator.id;
  const send = useSend(() => actOn(operator, action), REFRESHED);
  return (
    <ActionDialog
      open
      onClose={onClose}
      title={words.title}
      confirm={words.confirm}
      danger={words.danger}
      onConfirm={async () => {
        await send.mutateAsync(undefined);
        toastDone(words.done);
      }}
    >
      <Whom of={operator} />
      <Text>{words.text}</Text>
      {isSelf && (
        <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="This is your own account">
          You will have to sign in again.
        </Alert>
      )}
    </ActionDialog>
  );
}

/** A new role acts at once; who takes their own admin role away is warned. */
export function ChangeRole({ of: operator, onClose }: OperatorDialogProps): ReactNode {
  const isSelf = useOperator().id === operator.id;
  const [role, setRole] = useState(operator.role);
  const change = useSend(
    () =>
      data(
        api.PATCH('/operator/v1/operators/{operatorId}', {
          params: { path: { operatorId: operator.id } },
          body: { role },
        }),
      ),
    REFRESHED,
    ...(isSelf ? ['/operator/v1/session'] : []),
  );
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Change role"
      confirm="Change role"
      danger={isSelf}
      disabled={role === operator.role}
      onConfirm={async () => {
        await change.mutateAsync(undefined);
        toastDone('Role changed. It takes effect immediately.');
      }}
    >
      <Whom of={operator} />
      <RoleRadio value={role} onChange={setRole} error={change.error?.fields.role} />
      {isSelf && role !== operator.role && (
        <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="This is your own account">
          You will no longer be an admin. Only another admin can restore the role.
        </Alert>
      )}
    </ActionDialog>
  );
}

/** A new link to choose a password by, also for a password that was forgotten. */
export function InviteAgain({
  of: operator,
  onClose,
  onInvited,
}: OperatorDialogProps & {
  onInvited: (invited: Schemas['InvitedOperatorResponse']) => void;
}): ReactNode {
  const invite = useSend(
    () =>
      data(
        api.POST('/operator/v1/operators/{operatorId}/invite-again', {
          params: { path: { operatorId: operator.id } },
        }),
      ),
    REFRESHED,
  );
  const isActive = operator.status === 'active';
  return (
    <ActionDialog
      open
      onClose={onClose}
      title={isActive ? 'Create a password reset link?' : 'Invite this operator again?'}
      confirm={isActive ? 'Create link' : 'Invite again'}
      onConfirm={async () => onInvited(await invite.mutateAsync(undefined))}
    >
      <Whom of={operator} />
      <Text>
        Creates a new link for the operator to choose a password. The previous link stops working.
        {isActive && ' The authenticator of the operator does not change.'}
      </Text>
    </ActionDialog>
  );
}
