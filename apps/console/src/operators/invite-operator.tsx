import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useSession, type Role } from '../app/session';
import { api, data, type Schemas } from '../http/client';
import { useSend } from '../http/queries';
import { ActionDialog } from '../parts/action-dialog';
import { ForeignText } from '../parts/foreign-text';
import { SecretOnce } from '../parts/secret-once';
import { RoleRadio } from './role-radio';

type Invited = Schemas['InvitedOperatorResponse'];

interface InviteOperatorProps {
  onClose: () => void;
  onInvited: (invited: Invited) => void;
}

/** Asks whom to let in, and as what. */
export function InviteOperator({ onClose, onInvited }: InviteOperatorProps): ReactNode {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const invite = useSend(
    () => data(api.POST('/operator/v1/operators', { body: { email: email.trim(), role } })),
    '/operator/v1/operators',
  );
  const faults = invite.error?.fields ?? {};
  return (
    <ActionDialog
      open
      onClose={onClose}
      title="Invite an operator"
      confirm="Invite"
      disabled={!email.trim()}
      onConfirm={async () => onInvited(await invite.mutateAsync(undefined))}
    >
      <TextInput
        label="E-mail"
        type="email"
        required
        maxLength={254}
        data-autofocus
        autoComplete="off"
        value={email}
        error={faults.email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleRadio value={role} onChange={setRole} error={faults.role} />
    </ActionDialog>
  );
}

interface InvitationOnceProps {
  invited: Invited | null;
  onClose: () => void;
}

/** Shows the link; only its own button closes it, so that no stray click loses it. */
export function InvitationOnce({ invited, onClose }: InvitationOnceProps): ReactNode {
  const { house } = useSession();
  return (
    <Modal
      opened={invited !== null}
      onClose={onClose}
      title="The invitation"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {invited && (
        <Stack>
          <Text>
            With this link <ForeignText text={invited.email} /> chooses a password and enrolls an
            authenticator. It works once.{' '}
            {house.mailConfigured
              ? 'It was mailed to them as well.'
              : 'No mails are sent from here: give it to them yourself, by a way that you trust.'}
          </Text>
          <SecretOnce name="Invitation link" value={invited.invitationUrl} />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
