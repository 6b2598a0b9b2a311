import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOperator } from '../session/session';
import { api, unwrap, type Schemas } from '../http/client';
import { useApiMutation } from '../http/queries';
import { ActionDialog } from '../components/action-dialog';
import { UntrustedText } from '../components/untrusted-text';
import { Icon } from '../components/icon';
import { toastSuccess } from '../components/toast';
import { actionTexts, performOperatorAction, type Operator, type OperatorAction } from './operator-actions';

const INVALIDATED_PATH = '/operator/v1/operators';

interface OperatorDialogProps {
  operator: Operator;
  onClose: () => void;
}

function OperatorEmail({ operator }: { operator: Operator }): ReactNode {
  return (
    <Text fw={600}>
      <UntrustedText text={operator.email} />
    </Text>
  );
}

/** Renders the dialog for an action that requires only confirmation. */
export function OperatorActionDialog({
  operator,
  action,
  onClose,
}: OperatorDialogProps & { action: OperatorAction }): ReactNode {
  const texts = actionTexts[action];
  const isSelf = useOperator().id === operator.id;
  const send = useApiMutation(() => performOperatorAction(operator, action), INVALIDATED_PATH);
  return (
    <ActionDialog
      open
      onClose={onClose}
      title={texts.title}
      confirmLabel={texts.confirmLabel}
      danger={texts.danger}
      onConfirm={async () => {
        await send.mutateAsync(undefined);
        toastSuccess(texts.successMessage);
      }}
    >
      <OperatorEmail operator={operator} />
      <Text>{texts.text}</Text>
      {isSelf && (
        <Alert color="yellow" icon={<Icon name="alert" size={20} />} title="This is your own account">
          You will have to sign in again.
        </Alert>
      )}
    </ActionDialog>
  );
}

/** Renders the dialog that creates a new link for an invited operator, or for one who forgot the password. */
export function InviteAgainDialog({
  operator,
  onClose,
  onInvited,
}: OperatorDialogProps & {
  onInvited: (invited: Schemas['InvitedOperatorResponse']) => void;
}): ReactNode {
  const invite = useApiMutation(
    () =>
      unwrap(
        api.POST('/operator/v1/operators/{operatorId}/invite-again', {
          params: { path: { operatorId: operator.id } },
        }),
      ),
    INVALIDATED_PATH,
  );
  const isActive = operator.status === 'active';
  return (
    <ActionDialog
      open
      onClose={onClose}
      title={isActive ? 'Create a password reset link?' : 'Invite this operator again?'}
      confirmLabel={isActive ? 'Create link' : 'Invite again'}
      onConfirm={async () => onInvited(await invite.mutateAsync(undefined))}
    >
      <OperatorEmail operator={operator} />
      <Text>
        This creates a new link that the operator can use to choose a password. The previous link will stop
        working.
        {isActive && ' The operator’s second factor stays the same.'}
      </Text>
    </ActionDialog>
  );
}
